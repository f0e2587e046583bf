/* SPDX-License-Identifier: MIT
 *
 * JSON: what is refused and with which words, and that what is written can be read again.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "fault.h"
#include "unit.h"

#include <errno.h>
#include <locale.h>
#include <string.h>

static json_t *parse(const char *text)
{
    return json_parse(text, strlen(text), JSON_DEPTH_MAX, NULL);
}

static void test_values_of_every_kind(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        "[]",
        "\"\"",
        "0",
        "-1",
        "1.5",
        "1e3",
        "true",
        "false",
        "null",
        " 1 ",
        "{\"a\":[1,{\"b\":null}]}",
        "\"\\u0000\"",
        "9223372036854775807",
        "-9223372036854775808",
        "\"\\ud83d\\ude00\"",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        _cleanup_json_ json_t *json = parse(texts[i]);
        if (!json)
            fail_msg("%s", texts[i]);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        " ",
        "{",
        "[",
        "\"",
        "{\"a\":1,\"a\":2}",
        "1 2",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "'a'",
        "NaN",
        "nan",
        "Infinity",
        "-Infinity",
        "+1",
        "01",
        "1.",
        ".5",
        "0x10",
        "1e999",
        "-1e999",
        "9223372036854775808",
        "-9223372036854775809",
        "\"\n\"",
        "\"\t\"",
        "\"\\x\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\ud800\"",
        "\"\xff\"",
        "\"\xc0\x80\"",
        "\"\xed\xa0\x80\"",
        "\"\xe2\x82\"",
        "{\"\\u0000\":1}",
        "tru",
        "nulll",
        "]",
        "[}",
        "{]",
        "\xef\xbb\xbf{}",
        "{\"a\":1}}",
        "[1]//x",
        "/**/1",
        "{1:2}",
        "{\"a\"}",
        "\"\\",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct err err = ERR_INIT;
        if (json_parse(texts[i], strlen(texts[i]), JSON_DEPTH_MAX, &err) || err.code != -EINVAL ||
            !err.text[0])
            fail_msg("%s: %d %s", texts[i], err.code, err.text);
        assert_null(parse(texts[i]));
    }
    assert_null(json_parse(NULL, 0, 1, NULL));
    assert_null(json_parse("1\0", 2, 1, NULL));
    assert_null(json_parse("\"a\0b\"", 5, 1, NULL));
}

static void test_errors_name_line_and_column(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_null(json_parse("{\n  \"a\": x}", 11, JSON_DEPTH_MAX, &err));
    assert_true(strncmp(err.text, "line 2, column ", 15) == 0);
}

static void test_nul_inside_strings(void **state)
{
    (void)state;
    _cleanup_json_ json_t *json = parse("\"a\\u0000b\"");
    assert_int_equal(json_string_length(json), 3);
    assert_memory_equal(json_string_value(json), "a\0b", 3);
}

static void check_depth(const char *open, const char *close, size_t depth, size_t depth_max)
{
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    for (size_t i = 0; i < depth; i++)
        buf_append_text(&buf, open);
    buf_append_text(&buf, "1");
    for (size_t i = 0; i < depth; i++)
        buf_append_text(&buf, close);
    struct err err = ERR_INIT;
    _cleanup_json_ json_t *json = json_parse((const char *)buf.data, buf.length, depth_max, &err);
    assert_int_equal(json != NULL, depth <= depth_max);
    if (!json)
        assert_non_null(strstr(err.text, "deeper"));
}

static void test_depth(void **state)
{
    (void)state;
    for (size_t depth_max = 0; depth_max <= 64; depth_max += 8) {
        check_depth("[", "]", depth_max, depth_max);
        check_depth("[", "]", depth_max + 1, depth_max);
        check_depth("{\"a\":", "}", depth_max, depth_max);
        check_depth("{\"[\\\"]\":", "}", depth_max, depth_max);
        check_depth("{\"a\":", "}", depth_max + 1, depth_max);
    }
    check_depth("[", "]", 1000000, 64);
}

static void test_brackets_in_strings_are_no_depth(void **state)
{
    (void)state;
    const char *text = "[\"[[[[{{{{\",\"\\\"[[[[\",\"\\\\\",{\"[[[\":\"{\"}]";
    _cleanup_json_ json_t *json = json_parse(text, strlen(text), 2, NULL);
    assert_non_null(json);
    assert_null(json_parse(text, strlen(text), 1, NULL));
    const char *wide = "[[],[],[],[],{},[[]]]"; /* depth goes down again */
    _cleanup_json_ json_t *second = json_parse(wide, strlen(wide), 3, NULL);
    assert_non_null(second);
}

static json_t *array_parse(size_t values, const char *value, struct err *err)
{
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    buf_append_text(&buf, "[");
    for (size_t i = 0; i < values; i++) {
        buf_append_text(&buf, i ? "," : "");
        buf_append_text(&buf, value);
    }
    buf_append_text(&buf, "]");
    return json_parse((const char *)buf.data, buf.length, JSON_DEPTH_MAX, err);
}

static void test_a_small_text_does_not_become_gigabytes(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_null(array_parse(JSON_VALUES_MAX, "0", &err));
    assert_int_equal(err.code, -E2BIG);
    assert_non_null(strstr(err.text, "values"));
    assert_null(array_parse(JSON_VALUES_MAX / 2 + 1, "[]", &err));
    _cleanup_json_ json_t *most = array_parse(JSON_VALUES_MAX - 1, "0", &err);
    assert_int_equal(json_array_size(most), JSON_VALUES_MAX - 1);
}

static void check_append(const char *text, const char *expected)
{
    _cleanup_json_ json_t *json = parse(text);
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    assert_int_equal(json_append(&buf, json), 0);
    assert_int_equal(buf.length, strlen(expected));
    assert_memory_equal(buf.data, expected, buf.length);
}

static void test_append_is_compact_and_keeps_order(void **state)
{
    (void)state;
    check_append("{ \"z\" : 1, \"a\": [ true , null ] }", "{\"z\":1,\"a\":[true,null]}");
    check_append("\"\\u20ac\\u0000\\/\"", "\"\xe2\x82\xac\\u0000/\"");
    check_append("null", "null");
    check_append("1.5", "1.5");
    check_append("1.0", "1.0");
}

static void test_append_failure_leaves_the_buffer(void **state)
{
    (void)state;
    _cleanup_json_ json_t *json = parse("{\"a\":[1,2,3,4,5]}");
    _cleanup_buf_ struct buf buf = BUF_INIT(18);
    buf_append_text(&buf, "ab");
    assert_int_equal(json_append(&buf, json), -EMSGSIZE);
    assert_int_equal(buf.length, 2);
    assert_int_equal(json_append_string(&buf, "0123456789012345", 16), -EMSGSIZE);
    assert_int_equal(buf.length, 2);
    buf.limit = 19;
    assert_int_equal(json_append(&buf, json), 0);
    assert_int_equal(buf.length, 19);
}

static void test_append_notices_a_key_that_does_not_fit(void **state)
{
    (void)state;
    /* Everything but the long key would fit; jansson itself does not notice. */
    _cleanup_json_ json_t *json = parse("{\"0123456789\":1}");
    for (size_t limit = 1; limit < 16; limit++) {
        _cleanup_buf_ struct buf buf = BUF_INIT(limit);
        assert_int_equal(json_append(&buf, json), -EMSGSIZE);
        assert_int_equal(buf.length, 0);
    }
}

static void test_append_string_reads_back(void **state)
{
    (void)state;
    char every[256 + 4];
    for (int i = 0; i < 128; i++)
        every[i] = (char)i;
    memcpy(every + 128, "\xc3\xa9\xf0\x9f\x98\x80\xe2\x80\xa8", 9);
    size_t length = 137;
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    assert_int_equal(json_append_string(&buf, every, length), 0);
    _cleanup_json_ json_t *json = json_parse((const char *)buf.data, buf.length, 1, NULL);
    assert_int_equal(json_string_length(json), length);
    assert_memory_equal(json_string_value(json), every, length);
}

static void test_append_string_replaces_what_is_invalid(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    assert_int_equal(json_append_string(&buf, "a\xff\"\xed\xa0\x80", 6), 0);
    const char *expected = "\"a\xef\xbf\xbd\\\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"";
    assert_int_equal(buf.length, strlen(expected));
    assert_memory_equal(buf.data, expected, buf.length);
    buf_clear(&buf);
    assert_int_equal(json_append_string(&buf, NULL, 0), 0);
    assert_memory_equal(buf.data, "\"\"", 2);
}

static void test_text(void **state)
{
    (void)state;
    _cleanup_json_ json_t *empty = json_text(NULL, 0);
    assert_int_equal(json_string_length(empty), 0);
    _cleanup_json_ json_t *plain = json_text("a\0b", 3);
    assert_int_equal(json_string_length(plain), 3);
    _cleanup_json_ json_t *replaced = json_text("a\xff", 2);
    assert_string_equal(json_string_value(replaced), "a\xef\xbf\xbd");
}

static void test_type_names(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"{}", "object"},  {"[]", "array"},     {"\"\"", "string"},   {"1", "integer"},
        {"1.0", "number"}, {"true", "boolean"}, {"false", "boolean"}, {"null", "null"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        _cleanup_json_ json_t *json = parse(rows[i][0]);
        assert_string_equal(json_type_name(json), rows[i][1]);
    }
    assert_string_equal(json_type_name(NULL), "nothing");
}

static int scenario(void)
{
    static const char text[] = "{\"a\":[1,2.5,\"text\",{\"b\":null}],\"c\":\"\\u20ac\"}";
    struct err err = ERR_INIT;
    _cleanup_json_ json_t *json = json_parse(text, sizeof(text) - 1, JSON_DEPTH_MAX, &err);
    if (!json)
        return err.code;
    _cleanup_json_ json_t *added = json_text("\xff more", 6);
    if (!added)
        return -ENOMEM;
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    int rc = json_append(&buf, json);
    return rc < 0 ? rc : json_append_string(&buf, "\xff\n", 2);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    fault_sweep(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_every_kind),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_errors_name_line_and_column),
        cmocka_unit_test(test_nul_inside_strings),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_brackets_in_strings_are_no_depth),
        cmocka_unit_test(test_a_small_text_does_not_become_gigabytes),
        cmocka_unit_test(test_append_is_compact_and_keeps_order),
        cmocka_unit_test(test_append_failure_leaves_the_buffer),
        cmocka_unit_test(test_append_notices_a_key_that_does_not_fit),
        cmocka_unit_test(test_append_string_reads_back),
        cmocka_unit_test(test_append_string_replaces_what_is_invalid),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_type_names),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
