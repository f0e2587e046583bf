/* SPDX-License-Identifier: MIT
 *
 * The checker that stops anywhere: whatever the size of its steps, it agrees with the parser.
 */
#include "base/err.h"
#include "base/json.h"
#include "base/json_scan.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t steps[] = {1, 2, 3, 5, 7, 16, 100000};

/* Exactly as long as the text, so that a look behind its end is seen by ASan. */
static int scan_all(const char *text, size_t length, size_t step, struct json_scan *scan)
{
    struct err err = ERR_INIT;
    int rc;

    json_scan_init(scan, text, length);
    while ((rc = json_scan_step(scan, step, &err)) == 0)
        continue;
    if (rc < 0)
        assert_int_equal(err.code, rc);
    return rc;
}

static int scan_text(const char *text, size_t length, size_t step)
{
    char *copy = malloc(length + !length);
    struct json_scan scan;

    memcpy(copy, text, length);
    int rc = scan_all(copy, length, step, &scan);
    json_scan_deinit(&scan);
    free(copy);
    return rc;
}

static void check(const char *text, int expected)
{
    for (size_t i = 0; i < COUNT(steps); i++) {
        int rc = scan_text(text, strlen(text), steps[i]);
        if (rc != expected)
            fail_msg("%s in steps of %zu: %d", text, steps[i], rc);
    }
}

static void test_valid(void **state)
{
    static const char *const texts[] = {
        "{}",
        " \t\r\n{ } \n",
        "{\"a\":1}",
        "{\"a\" : [ ] , \"b\":{ } }",
        "{\"a\":[1,-2,0,0.5,-0.25e+10,1E5,1e-3,true,false,null,\"\"]}",
        "{\"\\u00e9\\\"\\\\\\/\\b\\f\\n\\r\\t\":\"\\ud800\"}",
        "{\"a\":[[],[[]],{\"b\":[{}]}]}",
        "{\"a\":\"\xff\xc3\"}",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++)
        check(texts[i], 1);
}

static void test_invalid(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "[]",
        "1",
        "{",
        "}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\":[}",
        "{\"a\":[1,]}",
        "{\"a\":]",
        "{} {}",
        "{}x",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":-}",
        "{\"a\":1e}",
        "{\"a\":+1}",
        "{\"a\":tru}",
        "{\"a\":nul",
        "{\"a\":\"",
        "{\"a\":\"\\",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12",
        "{\"a\":\"\\u12g4\"}",
        "{a:1}",
        "{\"a\":\"\n\"}",
        "{\"a\" 1}",
        "{\"a\":1 2}",
        "{\"a\":1]",
        "{\"a\":[1}}",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++)
        check(texts[i], -EINVAL);
    for (size_t i = 0; i < COUNT(steps); i++)
        assert_int_equal(scan_text("{\"a\":\"x\0y\"}", 11, steps[i]), -EINVAL);
}

static void test_members(void **state)
{
    static const char text[] = "{\"one\": [1, {\"two\":2}] ,\n\"three\":\"x\\\"y\", \"4\":-1.5e3 }";
    static const char *const parts[] = {
        "\"one\"", "[1, {\"two\":2}]", "\"three\"", "\"x\\\"y\"", "\"4\"", "-1.5e3"};
    (void)state;
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct json_scan scan;
        assert_int_equal(scan_all(text, sizeof text - 1, steps[i], &scan), 1);
        assert_int_equal(scan.member_count, 3);
        for (size_t m = 0; m < 3; m++) {
            const struct json_member *member = &scan.members[m];
            assert_int_equal(member->name_length, strlen(parts[2 * m]));
            assert_memory_equal(text + member->name_at, parts[2 * m], member->name_length);
            assert_int_equal(member->value_length, strlen(parts[2 * m + 1]));
            assert_memory_equal(text + member->value_at, parts[2 * m + 1], member->value_length);
        }
        json_scan_deinit(&scan);
    }
}

/* A text of `count` times `piece` between front and back. */
static char *text_repeat(const char *front, const char *piece, size_t count, const char *back)
{
    char *text = malloc(strlen(front) + count * strlen(piece) + strlen(back) + 1);
    char *end = stpcpy(text, front);
    for (size_t i = 0; i < count; i++)
        end = stpcpy(end, piece);
    strcpy(end, back);
    return text;
}

static void check_repeated(const char *front, const char *piece, size_t count, const char *back,
                           int expected)
{
    char *text = text_repeat(front, piece, count, back);
    assert_int_equal(scan_text(text, strlen(text), 1000), expected);
    free(text);
}

static void test_limits(void **state)
{
    (void)state;
    check_repeated("{\"a\":", "[", JSON_DEPTH_MAX, "", -EINVAL);
    check_repeated("{\"a\":[1", ",1", JSON_VALUES_MAX - 4, "]}", 1);
    check_repeated("{\"a\":[1", ",1", JSON_VALUES_MAX, "]}", -E2BIG);
    check_repeated("{\"a\":1", ",\"a\":1", JSON_SCAN_MEMBERS_MAX - 1, "}", 1);
    check_repeated("{\"a\":1", ",\"a\":1", JSON_SCAN_MEMBERS_MAX, "}", -E2BIG);
    check_repeated("{\"", "n", JSON_SCAN_TOKEN_MAX, "\":1}", -E2BIG);
    check_repeated("{\"a\":", "1", JSON_SCAN_TOKEN_MAX, "}", 1);
    check_repeated("{\"a\":", "1", 100000, "}", -EINVAL);
    check_repeated("{\"a\":\"", "long text ", 100000, "\"}", 1);
}

/* One byte of a good text replaced, left out or doubled: jansson and the checker say the same. */
static void test_agrees_with_the_parser(void **state)
{
    static const char good[] =
        "{\"a\": [1, -0.5e2, true, null], \"b\\n\": {\"c\": \"d\\u0041\\\\\"}, \"fghi\": \"\"}";
    static const char bytes[] = "{}[]\",:\\ 0-.eEu1tn\n/";
    (void)state;
    for (size_t at = 0; at < sizeof good - 1; at++) {
        for (size_t b = 0; b < sizeof bytes; b++) { /* the NUL too */
            char text[sizeof good];
            memcpy(text, good, sizeof good);
            text[at] = bytes[b];
            size_t length = sizeof good - 1;
            _cleanup_json_ json_t *json = json_parse(text, length, JSON_DEPTH_MAX, NULL);
            int expected = json ? 1 : -EINVAL;
            for (size_t i = 0; i < COUNT(steps); i++)
                if (scan_text(text, length, steps[i]) != expected)
                    fail_msg("%s in steps of %zu is %d", text, steps[i], -expected);
        }
        assert_true(scan_text(good, at, 3) < 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_agrees_with_the_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
