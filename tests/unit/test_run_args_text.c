/* SPDX-License-Identifier: MIT
 *
 * The text for a handler, made in pieces: the same as in one go, wherever the pieces end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "run/args_text.h"

#include <stdlib.h>
#include <string.h>

static const size_t steps[] = {4, 5, 7, 16, 1000, 1000000};

static void expect(const json_t *args, const struct message_body *parts, size_t count,
                   const char *expected, size_t length)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct args_text text;
        size_t before = 0;
        int r;

        assert_int_equal(args_text_init(&text, args, parts, count), 0);
        while ((r = args_text_step(&text, steps[i])) == 0) {
            assert_true(text.out.length > before); /* every step gets on ... */
            assert_true(text.out.length <= before + 8 * steps[i] + 100); /* ... but not far */
            before = text.out.length;
        }
        assert_int_equal(r, 1);
        assert_int_equal(text.out.length, length);
        assert_memory_equal(text.out.data, expected, length);
        args_text_deinit(&text);
    }
}

/* A string body, with its text repeated to be long. */
static void check_string(const char *piece, size_t piece_length)
{
    json_t *stand_in = json_string("a stand-in"),
           *args = json_pack("{s:i, s:O, s:s}", "a", 1, "t", stand_in, "z", "end");
    _cleanup_buf_ struct buf raw = BUF_INIT(0), expected = BUF_INIT(0);
    struct message_body part = {.stand_in = stand_in};

    while (raw.length <= 3 * FRAME_INLINE_TEXT_MAX)
        buf_append(&raw, piece, piece_length);
    part.text = raw.data;
    part.length = raw.length;
    buf_append_text(&expected, "{\"a\":1,\"t\":");
    json_append_string(&expected, (const char *)raw.data, raw.length);
    buf_append_text(&expected, ",\"z\":\"end\"}");
    expect(args, &part, 1, (const char *)expected.data, expected.length);
    json_decref(args);
    json_decref(stand_in);
}

static void strings_of_every_kind(void **state)
{
    (void)state;
    check_string("plain", 5);
    check_string("\"quotes\\ and\nlines\001", 19);
    check_string("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9);
    check_string("x\xf0\x9f\x98", 4); /* cut short, again and again */
    check_string("\xff\xc3\x28\xe2\x82\xed\xa0\x80\0y", 10);
    check_string("\x80", 1);
}

static void check_json(const char *text, const char *expected)
{
    json_t *stand_in = json_array(), *args = json_pack("{s:O, s:b}", "j", stand_in, "k", 1);
    struct message_body part = {stand_in, (const unsigned char *)text, strlen(text), true};
    _cleanup_buf_ struct buf whole = BUF_INIT(0);

    buf_append_format(&whole, "{\"j\":%s,\"k\":true}", expected);
    expect(args, &part, 1, (const char *)whole.data, whole.length);
    json_decref(args);
    json_decref(stand_in);
}

static void json_goes_in_as_it_is(void **state)
{
    (void)state;
    check_json("[1, 2,\t{\"a\" : \"\\n\\u00e9\\\\ud800\"}]",
               "[1, 2,\t{\"a\" : \"\\n\\u00e9\\\\ud800\"}]");
    check_json("[\"\\ud83d\\ude00\"]", "[\"\\ud83d\\ude00\"]");
}

static void lone_surrogates_and_bad_bytes_are_replaced(void **state)
{
    (void)state;
    check_json("[\"x\\ud800y\\udc00\\ud83d\\ude00\\udfff\"]",
               "[\"x\\ufffdy\\ufffd\\ud83d\\ude00\\ufffd\"]");
    check_json("[\"\xff-\xe2\x82\"]", "[\"\xef\xbf\xbd-\xef\xbf\xbd\"]");
}

static void many_bodies_in_their_places(void **state)
{
    enum { COUNT = 50, LENGTH = 5000 };
    struct message_body parts[COUNT];
    json_t *list = json_array(), *args = json_pack("{s:o}", "list", list);
    _cleanup_buf_ struct buf expected = BUF_INIT(0);
    char *texts = malloc(COUNT * LENGTH);

    (void)state;
    buf_append_text(&expected, "{\"list\":[");
    for (int i = 0; i < COUNT; i++) {
        memset(texts + i * LENGTH, 'A' + i % 26, LENGTH);
        parts[i] = (struct message_body){json_string("..."),
                                         (const unsigned char *)texts + i * LENGTH, LENGTH, false};
        json_array_append(list, parts[i].stand_in);
        buf_append_text(&expected, i ? ",\"" : "\"");
        buf_append(&expected, parts[i].text, LENGTH);
        buf_append_text(&expected, "\"");
    }
    buf_append_text(&expected, "]}");
    expect(args, parts, COUNT, (const char *)expected.data, expected.length);
    for (int i = 0; i < COUNT; i++)
        json_decref(parts[i].stand_in);
    json_decref(args);
    free(texts);
}

static void long_strings_of_the_tree_are_gaps_too(void **state)
{
    char *text = calloc(1, 100001);
    json_t *args;
    _cleanup_buf_ struct buf expected = BUF_INIT(0);

    (void)state;
    memset(text, '\n', 100000);
    args = json_pack("{s:s}", "t", text);
    json_append(&expected, args);
    expect(args, NULL, 0, (const char *)expected.data, expected.length);
    json_decref(args);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_of_every_kind),
        cmocka_unit_test(json_goes_in_as_it_is),
        cmocka_unit_test(lone_surrogates_and_bad_bytes_are_replaced),
        cmocka_unit_test(many_bodies_in_their_places),
        cmocka_unit_test(long_strings_of_the_tree_are_gaps_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
