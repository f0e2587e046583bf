/* SPDX-License-Identifier: MIT
 *
 * Messages: what one end encodes the other decodes to the same tree; whatever is not exactly a
 * message is refused; strings with bytes that are no text arrive with U+FFFD.
 */
#include "base/err.h"
#include "base/fd.h"
#include "fault.h"
#include "unit.h"
#include "wire/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define FFFD "\xef\xbf\xbd"

static json_t *parse(const char *text)
{
    return json_parse(text, strlen(text), JSON_DEPTH_MAX, NULL);
}

static json_t *decode_frame(const char *head, const char *body, size_t body_length, uint16_t flags,
                            struct err *err)
{
    struct frame frame = {.header = {.head_bytes = (uint32_t)strlen(head),
                                     .body_bytes = (uint32_t)body_length,
                                     .type = FRAME_CALL,
                                     .flags = flags},
                          .head = head,
                          .body = (const unsigned char *)body};
    return message_decode(&frame, "args", err);
}

static void check_decode(const char *head, const char *body, uint16_t flags, const char *expected)
{
    struct err err = ERR_INIT;
    _cleanup_json_ json_t *got = decode_frame(head, body, strlen(body), flags, &err);
    _cleanup_json_ json_t *wanted = parse(expected);
    assert_non_null(wanted);
    if (!got || !json_equal(got, wanted))
        fail_msg("%s + %s: %s", head, body, err.text);
}

static void test_decode(void **state)
{
    (void)state;
    check_decode("{}", "", 0, "{}");
    check_decode("{\"bodies\":[]}", "", 0, "{}");
    check_decode("{\"args\":{\"a\":null},\"bodies\":[[3,\"args\",\"a\"]]}", "abc", 0,
                 "{\"args\":{\"a\":\"abc\"}}");
    check_decode("{\"code\":null,\"bodies\":[[3,\"code\"]]}", "abc", 0, "{\"code\":\"abc\"}");
    check_decode("{\"a\":[1,[null,{\"b\":null}]],\"c\":null,"
                 "\"bodies\":[[2,\"a\",1,0],[0,\"c\"],[3,\"a\",1,1,\"b\"]]}",
                 "abcde", 0, "{\"a\":[1,[\"ab\",{\"b\":\"cde\"}]],\"c\":\"\"}");
    check_decode("{\"a\":null,\"b\":null}", "", 0, "{\"a\":null,\"b\":null}");
    check_decode("{\"tool\":\"x\"}", "{\"q\":[1]}", FRAME_JSON_BODY,
                 "{\"tool\":\"x\",\"args\":{\"q\":[1]}}");
    check_decode("{}", "null", FRAME_JSON_BODY, "{\"args\":null}");
}

static void test_decode_replaces_what_is_no_text(void **state)
{
    (void)state;
    const char *one = "{\"a\":null,\"bodies\":[[5,\"a\"]]}";
    check_decode(one, "ab\xff\xc3.", 0, "{\"a\":\"ab" FFFD FFFD ".\"}");
    check_decode(one, "\xed\xa0\x80..", 0, "{\"a\":\"" FFFD FFFD FFFD "..\"}");
    /* A character that two bodies share belongs to neither. */
    check_decode("{\"a\":null,\"b\":null,\"bodies\":[[1,\"a\"],[1,\"b\"]]}", "\xc3\xa9", 0,
                 "{\"a\":\"" FFFD "\",\"b\":\"" FFFD "\"}");
    check_decode("{}", "[\"a\xff\"]", FRAME_JSON_BODY, "{\"args\":[\"a" FFFD "\"]}");
    /* Python's json writes undecodable bytes of a file name like this. */
    check_decode("{\"a\":\"x\\udcffy\"}", "", 0, "{\"a\":\"x" FFFD "y\"}");
    check_decode("{}", "[\"\\ud800\",\"\\ud83d\\ude00\",\"\\\\ud800\",\"\\ud800\\ud800\\uDC00\"]",
                 FRAME_JSON_BODY,
                 "{\"args\":[\"" FFFD "\",\"\xf0\x9f\x98\x80\",\"\\\\ud800\",\"" FFFD
                 "\xf0\x90\x80\x80\"]}");
    check_decode("{}", "[\"\\uDBFF\",\"\\ude00\\ud83d\",\"\\\\\\ud83d\"]", FRAME_JSON_BODY,
                 "{\"args\":[\"" FFFD "\",\"" FFFD FFFD "\",\"\\\\" FFFD "\"]}");
}

static void test_decode_keeps_nul(void **state)
{
    (void)state;
    _cleanup_json_ json_t *got =
        decode_frame("{\"a\":null,\"bodies\":[[3,\"a\"]]}", "x\0y", 3, 0, NULL);
    json_t *value = json_object_get(got, "a");
    assert_int_equal(json_string_length(value), 3);
    assert_memory_equal(json_string_value(value), "x\0y", 3);
}

static void test_decode_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *head, *body;
        uint16_t flags;
    } rows[] = {
        {"", "", 0},
        {"[]", "", 0},
        {"null", "", 0},
        {"\"x\"", "", 0},
        {"{", "", 0},
        {"{}{}", "", 0},
        {"{\"a\":1,\"a\":1}", "", 0},
        {"{\"a\":\"\xff\"}", "", 0}, /* heads are strict */
        {"{}", "x", 0},
        {"{\"bodies\":null}", "", 0},
        {"{\"bodies\":{}}", "", 0},
        {"{\"bodies\":[1]}", "", 0},
        {"{\"bodies\":[[]]}", "", 0},
        {"{\"bodies\":[[0]]}", "", 0},
        {"{\"bodies\":[{\"0\":0}]}", "", 0},
        {"{\"a\":null,\"bodies\":[[\"3\",\"a\"]]}", "abc", 0},
        {"{\"a\":null,\"bodies\":[[3.0,\"a\"]]}", "abc", 0},
        {"{\"a\":null,\"bodies\":[[true,\"a\"]]}", "a", 0},
        {"{\"a\":null,\"bodies\":[[-3,\"a\"]]}", "abc", 0},
        {"{\"a\":null,\"bodies\":[[2,\"a\"]]}", "abc", 0}, /* a byte too many */
        {"{\"a\":null,\"bodies\":[[4,\"a\"]]}", "abc", 0}, /* a byte too few */
        {"{\"a\":null,\"bodies\":[[9223372036854775807,\"a\"]]}", "abc", 0},
        {"{\"a\":null,\"b\":null,\"bodies\":[[3,\"a\"],[-3,\"b\"],[3,\"b\"]]}", "abc", 0},
        {"{\"a\":null,\"b\":null,\"bodies\":[[3,\"a\"],[9223372036854775807,\"b\"]]}", "abc", 0},
        {"{\"a\":1,\"bodies\":[[3,\"a\"]]}", "abc", 0}, /* not null */
        {"{\"a\":\"\",\"bodies\":[[3,\"a\"]]}", "abc", 0},
        {"{\"bodies\":[[3,\"a\"]]}", "abc", 0}, /* no such place */
        {"{\"a\":null,\"bodies\":[[3,\"a\",\"b\"]]}", "abc", 0},
        {"{\"a\":[null],\"bodies\":[[3,\"a\",1]]}", "abc", 0},
        {"{\"a\":[null],\"bodies\":[[3,\"a\",-1]]}", "abc", 0},
        {"{\"a\":[null],\"bodies\":[[3,\"a\",\"0\"]]}", "abc", 0},
        {"{\"a\":[null],\"bodies\":[[3,\"a\",4294967296]]}", "abc", 0},
        {"{\"a\":{\"0\":null},\"bodies\":[[3,\"a\",0]]}", "abc", 0},
        {"{\"a\":null,\"bodies\":[[3,null]]}", "abc", 0},
        {"{\"a\":null,\"bodies\":[[3,[\"a\"]]]}", "abc", 0},
        {"{\"a\":null,\"bodies\":[[1,\"a\"],[2,\"a\"]]}", "abc", 0}, /* twice the same place */
        {"{\"a\":null,\"bodies\":[[3,\"a\\u0000\"]]}", "abc", 0},
        {"{\"bodies\":[[3,\"bodies\",1],null]}", "abc", 0}, /* into the list itself */
        {"{\"args\":{}}", "{}", FRAME_JSON_BODY},
        {"{\"bodies\":[]}", "{}", FRAME_JSON_BODY},
        {"{}", "", FRAME_JSON_BODY},
        {"{}", "{", FRAME_JSON_BODY},
        {"{}", "{}x", FRAME_JSON_BODY},
        {"{}", "NaN", FRAME_JSON_BODY},
        {"{}", "99999999999999999999", FRAME_JSON_BODY},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct err err = ERR_INIT;
        size_t length = strlen(rows[i].body);
        json_t *got = decode_frame(rows[i].head, rows[i].body, length, rows[i].flags, &err);
        if (got || err.code != -EPROTO || !err.text[0])
            fail_msg("row %zu, %s: %d %s", i, rows[i].head, err.code, err.text);
        assert_null(decode_frame(rows[i].head, rows[i].body, length, rows[i].flags, NULL));
    }
    struct frame frame = {
        .header = {.head_bytes = 2, .body_bytes = 2, .type = FRAME_CALL, .flags = FRAME_JSON_BODY},
        .head = "{}",
        .body = (const unsigned char *)"{}"};
    assert_null(message_decode(&frame, NULL, NULL));
}

static void test_decode_refuses_depth(void **state)
{
    (void)state;
    char body[JSON_DEPTH_MAX + 2] = {0};
    memset(body, '[', JSON_DEPTH_MAX + 1);
    assert_null(decode_frame("{}", body, JSON_DEPTH_MAX + 1, FRAME_JSON_BODY, NULL));
}

static void test_decode_says_when_it_is_merely_too_much(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    _cleanup_buf_ struct buf body = BUF_INIT(0);
    buf_append_text(&body, "[0");
    for (int i = 0; i < JSON_VALUES_MAX; i++)
        buf_append_text(&body, ",0");
    buf_append(&body, "]", 2);
    assert_null(
        decode_frame("{}", (const char *)body.data, body.length - 1, FRAME_JSON_BODY, &err));
    assert_int_equal(err.code, -E2BIG);
    size_t length = FRAME_JSON_BODY_BYTES_MAX + 1;
    char *text = malloc(length);
    memset(text, ' ', length);
    memcpy(text, "{}", 2);
    assert_null(decode_frame("{}", text, length, FRAME_JSON_BODY, &err));
    assert_int_equal(err.code, -EMSGSIZE);
    json_t *got = decode_frame("{}", text, length - 1, FRAME_JSON_BODY, &err);
    assert_non_null(got);
    json_decref(got);
    free(text);
}

/* Ten thousand entries that all lead through the same long array: linear, or this takes minutes. */
static void test_decode_many_entries(void **state)
{
    (void)state;
    enum { ENTRIES = 4500 };
    _cleanup_buf_ struct buf head = BUF_INIT(FRAME_HEAD_BYTES_MAX);
    buf_append_text(&head, "{\"a\":[null");
    for (int i = 1; i < ENTRIES; i++)
        buf_append_text(&head, ",0");
    buf_append_text(&head, "],\"b\":[");
    for (int i = 0; i < ENTRIES / 2; i++)
        buf_append_format(&head, "%snull", i ? "," : "");
    buf_append_text(&head, "],\"bodies\":[[0,\"a\",0]");
    for (int i = 0; i < ENTRIES / 2; i++)
        buf_append_format(&head, ",[1,\"b\",%d]", i);
    assert_int_equal(buf_append(&head, "]}", 3), 0);
    char body[ENTRIES / 2];
    memset(body, 'x', sizeof(body));
    _cleanup_json_ json_t *got = decode_frame((const char *)head.data, body, sizeof(body), 0, NULL);
    assert_string_equal(json_string_value(json_array_get(json_object_get(got, "b"), 2249)), "x");
}

/* Encodes head and decodes it again; both must be equal, and head unchanged. */
static void check_round_trip(json_t *head, size_t parts, uint16_t flags)
{
    struct message_encoded message;
    _cleanup_json_ json_t *before = json_deep_copy(head);
    assert_int_equal(message_encode(head, "args", &message), 0);
    assert_true(json_equal(head, before));
    assert_int_equal(message.part_count, parts);
    assert_int_equal(message.flags, flags);
    assert_true(message.head.length <= FRAME_HEAD_BYTES_MAX);
    json_object_clear(head); /* what is encoded must not need it any more */
    _cleanup_buf_ struct buf body = BUF_INIT(0);
    for (size_t i = 0; i < message.part_count; i++)
        assert_int_equal(buf_append(&body, message.parts[i].data, message.parts[i].length), 0);
    struct frame frame = {.header = {.head_bytes = (uint32_t)message.head.length,
                                     .body_bytes = (uint32_t)body.length,
                                     .type = FRAME_CALL,
                                     .flags = message.flags},
                          .head = (const char *)message.head.data,
                          .body = body.data};
    struct err err = ERR_INIT;
    _cleanup_json_ json_t *got = message_decode(&frame, "args", &err);
    if (!got || !json_equal(got, before))
        fail_msg("%.300s: %s", (const char *)message.head.data, err.text);
    message_encoded_deinit(&message);
    message_encoded_deinit(&message);
}

static json_t *long_string(size_t length)
{
    char *text = malloc(length + 1);
    memset(text, 'y', length);
    json_t *string = json_stringn(text, length);
    free(text);
    return string;
}

static void test_encode_round_trips(void **state)
{
    (void)state;
    struct {
        json_t *head;
        size_t parts;
        uint16_t flags;
    } rows[] = {
        {json_pack("{}"), 0, 0},
        {json_pack("{s:s}", "tool", "x"), 0, 0},
        {json_pack("{s:{s:s, s:i}}", "args", "a", "short", "b", 5), 0, 0},
        {json_pack("{s:{s:o}}", "args", "a", long_string(FRAME_INLINE_TEXT_MAX)), 0, 0},
        {json_pack("{s:{s:o}}", "args", "a", long_string(FRAME_INLINE_TEXT_MAX + 1)), 1, 0},
        {json_pack("{s:o}", "args", long_string(5000)), 1, 0},
        {json_pack("{s:s, s:{s:o, s:n, s:[i,o,{s:o,s:s}], s:{}}, s:[]}", "tool", "x", "args", "a",
                   long_string(5000), "n", "l", 1, long_string(6000), "q", long_string(70000), "r",
                   "s", "e", "z"),
         3, 0},
        {json_pack("{s:[o,o]}", "args", long_string(4097), long_string(4097)), 2, 0},
        {json_pack("{s:o, s:{}}", "other", long_string(5000), "args"), 0, 0},
        /* Twenty strings that each stay inline are too much for a head. */
        {json_pack("{s:[o,o,o,o,o,o,o,o,o,o,o,o,o,o,o,o,o,o,o,o]}", "args", long_string(4000),
                   long_string(4000), long_string(4000), long_string(4000), long_string(4000),
                   long_string(4000), long_string(4000), long_string(4000), long_string(4000),
                   long_string(4000), long_string(4000), long_string(4000), long_string(4000),
                   long_string(4000), long_string(4000), long_string(4000), long_string(4000),
                   long_string(4000), long_string(4000), long_string(4000)),
         1, FRAME_JSON_BODY},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_non_null(rows[i].head);
        check_round_trip(rows[i].head, rows[i].parts, rows[i].flags);
        json_decref(rows[i].head);
    }
}

static void test_encode_shares_one_string_in_many_places(void **state)
{
    (void)state;
    json_t *shared = long_string(5000);
    _cleanup_json_ json_t *head = json_pack("{s:[O,O,{s:O}]}", "args", shared, shared, "a", shared);
    json_decref(shared);
    check_round_trip(head, 3, 0);
}

static void test_encode_more_bodies_than_a_head_can_name(void **state)
{
    (void)state;
    char key[64];
    json_t *named = json_object();
    for (int i = 0; i < 2500; i++) {
        snprintf(key, sizeof(key), "a key that is thirty bytes long %04d", i);
        json_object_set_new(named, key, long_string(4097));
    }
    _cleanup_json_ json_t *head = json_pack("{s:o}", "args", named);
    check_round_trip(head, 1, FRAME_JSON_BODY);
    json_t *list = json_array();
    for (int i = 0; i < 12000; i++) /* as JSON it would be over its cap */
        json_array_append_new(list, long_string(4097));
    _cleanup_json_ json_t *too_much = json_pack("{s:o}", "args", list);
    struct message_encoded message;
    assert_int_equal(message_encode(too_much, "args", &message), -EMSGSIZE);
    json_t *few = json_array();
    for (int i = 0; i < 2000; i++)
        json_array_append_new(few, long_string(4097));
    _cleanup_json_ json_t *second = json_pack("{s:o}", "args", few);
    check_round_trip(second, 2000, 0);
}

static void test_encode_long_keys_and_odd_bytes(void **state)
{
    (void)state;
    char key[5000];
    memset(key, 'k', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    _cleanup_json_ json_t *head =
        json_pack("{s:{s:o, s:s#}}", "args", key, long_string(5000), "nul", "a\0b", 3);
    check_round_trip(head, 1, 0);
}

static json_t *nested(size_t levels)
{
    json_t *value = long_string(5000);
    for (size_t i = 0; i < levels; i++)
        value = json_pack("[o]", value);
    return json_pack("{s:o}", "args", value);
}

static void test_encode_depth(void **state)
{
    (void)state;
    struct message_encoded message;
    _cleanup_json_ json_t *deepest = nested(JSON_DEPTH_MAX - 1);
    check_round_trip(deepest, 1, 0);
    _cleanup_json_ json_t *deeper = nested(JSON_DEPTH_MAX);
    assert_int_equal(message_encode(deeper, "args", &message), -EMSGSIZE);
    message_encoded_deinit(&message);
    json_t *loop = json_array();
    _cleanup_json_ json_t *head = json_pack("{s:o}", "args", loop);
    json_t *inner = json_pack("[O]", loop);
    json_array_append(loop, inner); /* a circle must end as an error, not as a stack overflow */
    assert_int_equal(message_encode(head, "args", &message), -EMSGSIZE);
    json_array_clear(inner);
    json_decref(inner);
}

static void test_encode_refuses_what_no_frame_holds(void **state)
{
    (void)state;
    struct message_encoded message;
    _cleanup_json_ json_t *large_head = json_pack("{s:o}", "other", long_string(70000));
    assert_int_equal(message_encode(large_head, "args", &message), -EMSGSIZE);
    assert_int_equal(message_encode(large_head, NULL, &message), -EMSGSIZE);
    _cleanup_json_ json_t *large =
        json_pack("{s:{s:o}}", "args", "a", long_string(FRAME_BYTES_MAX));
    assert_int_equal(message_encode(large, "args", &message), -EMSGSIZE);
    message_encoded_deinit(&message);
}

static void check_reply(const char *result_text, size_t extra, uint16_t flags)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    _cleanup_json_ json_t *result = parse(result_text);
    if (extra)
        json_object_set_new(result, "content", long_string(extra));
    struct frame_queue queue;
    frame_queue_init(&queue, 1 << 20);
    assert_int_equal(message_reply_queue(&queue, 7, result), 0);
    assert_int_equal(frame_queue_flush(&queue, pair[0], 0), 1);
    assert_int_equal(message_reply_send(pair[0], 8, result), 0);
    struct frame_reader reader;
    frame_reader_init(&reader, FRAME_BYTES_MAX);
    for (uint64_t id = 7; id <= 8; id++) {
        struct frame frame;
        while (frame_reader_next(&reader, &frame) == 0)
            assert_true(frame_reader_fill(&reader, pair[1], 0) > 0);
        assert_int_equal(frame.header.type, FRAME_REPLY);
        assert_int_equal(frame.header.id, id);
        assert_int_equal(frame.header.flags, flags);
        _cleanup_json_ json_t *got = message_decode(&frame, "result", NULL);
        assert_true(json_equal(json_object_get(got, "result"), result));
    }
    frame_reader_deinit(&reader);
    frame_queue_deinit(&queue);
    fd_close(pair[0]);
    fd_close(pair[1]);
}

static void test_reply(void **state)
{
    (void)state;
    check_reply("{\"total\":3}", 0, 0);
    check_reply("{\"total\":3}", 70000, 0);
    check_reply("[1]", 0, 0);
    check_reply("null", 0, 0);
    check_reply("{\"error\":\"no\"}", 0, FRAME_ERROR);
    check_reply("{\"error\":\"no\"}", 70000, FRAME_ERROR);
    check_reply("{\"error\":null}", 0, 0);
    struct frame_queue queue;
    frame_queue_init(&queue, 10);
    _cleanup_json_ json_t *result = json_object();
    assert_int_equal(message_reply_queue(&queue, 1, result), -ENOBUFS);
    assert_int_equal(message_reply_send(-1, 1, result), -EBADF);
}

static json_t *scenario_tree;

static int scenario_encode(void)
{
    struct frame_queue queue;
    frame_queue_init(&queue, 1 << 22);
    int rc = message_reply_queue(&queue, 1, scenario_tree);
    frame_queue_deinit(&queue);
    return rc;
}

static int decode_scenario(const char *head, const char *body, uint16_t flags)
{
    struct err err = ERR_INIT;
    json_t *got = decode_frame(head, body, strlen(body), flags, &err);
    json_decref(got);
    return got ? 0 : err.code;
}

static int scenario_decode(void)
{
    int rc =
        decode_scenario("{\"a\":[null,{\"b\":null}],\"bodies\":[[2,\"a\",0],[2,\"a\",1,\"b\"]]}",
                        "ab\xff"
                        "d",
                        0);
    if (rc == 0)
        rc = decode_scenario("{\"tool\":\"\\udc80\"}", "[\"\xff\\ud800\",1.5]", FRAME_JSON_BODY);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    scenario_tree = json_pack("{s:{s:o}, s:[i,o,{s:o}], s:s}", "a", "b", long_string(5000), "l", 1,
                              long_string(5000), "c", long_string(6000), "s", "t");
    fault_sweep(scenario_encode);
    json_decref(scenario_tree);
    scenario_tree = json_array(); /* leaves as a JSON body */
    for (int i = 0; i < 20; i++)
        json_array_append_new(scenario_tree, long_string(4000));
    json_array_append_new(scenario_tree, long_string(5000));
    fault_sweep(scenario_encode);
    json_decref(scenario_tree);
    fault_sweep(scenario_decode);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_decode_replaces_what_is_no_text),
        cmocka_unit_test(test_decode_keeps_nul),
        cmocka_unit_test(test_decode_refuses),
        cmocka_unit_test(test_decode_refuses_depth),
        cmocka_unit_test(test_decode_says_when_it_is_merely_too_much),
        cmocka_unit_test(test_decode_many_entries),
        cmocka_unit_test(test_encode_round_trips),
        cmocka_unit_test(test_encode_shares_one_string_in_many_places),
        cmocka_unit_test(test_encode_more_bodies_than_a_head_can_name),
        cmocka_unit_test(test_encode_long_keys_and_odd_bytes),
        cmocka_unit_test(test_encode_depth),
        cmocka_unit_test(test_encode_refuses_what_no_frame_holds),
        cmocka_unit_test(test_reply),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
