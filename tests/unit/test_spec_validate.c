/* SPDX-License-Identifier: MIT
 *
 * Arguments against specs: what is filled in, what is coerced with a word, what is refused and how.
 */
#include "fail_alloc.h"

#include "base/buf.h"
#include "base/err.h"
#include "spec/toolset.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *parse(const char *text)
{
    json_t *json = json_parse(text, strlen(text), JSON_DEPTH_MAX, NULL);
    assert_non_null(json);
    return json;
}

/* in -> out with exactly this warning, and in is not touched. */
static void expect_spec(const struct tool_spec *spec, const char *in, const char *out,
                        const char *warning_text)
{
    struct buf warning = BUF_INIT(0);
    struct err err = ERR_INIT;
    json_t *args = parse(in), *before = parse(in), *want = parse(out);
    json_t *got = spec_validate(spec, args, &warning, &err);

    if (!got)
        fail_msg("%s: %s", in, err.text);
    if (!json_equal(got, want))
        fail_msg("%s became %s", in, json_dumps(got, 0));
    assert_true(json_equal(args, before));
    assert_int_equal(warning.length, strlen(warning_text));
    if (warning.length > 0)
        assert_memory_equal(warning.data, warning_text, warning.length);
    json_decref(got);
    got = spec_validate(spec, args, NULL, NULL); /* both are optional */
    assert_true(json_equal(got, want));
    json_decref(got);
    json_decref(args);
    json_decref(before);
    json_decref(want);
    buf_deinit(&warning);
}

static void expect(const char *tool, const char *in, const char *out, const char *warning)
{
    expect_spec(toolset_builtin_find(tool), in, out, warning);
}

static void expect_error_spec(const struct tool_spec *spec, const char *in, const char *text)
{
    struct err err = ERR_INIT;
    json_t *args = parse(in);

    assert_null(spec_validate(spec, args, NULL, &err));
    assert_string_equal(err.text, text);
    assert_int_equal(err.code, -EINVAL);
    json_decref(args);
}

static void expect_error(const char *tool, const char *in, const char *text)
{
    expect_error_spec(toolset_builtin_find(tool), in, text);
}

#define READ_REST "\"raw\": false, \"encoding\": \"utf-8\"}"

static void test_defaults(void **state)
{
    (void)state;
    expect("read_file", "{\"path\": \"a\"}",
           "{\"path\": \"a\", \"offset\": 1, \"limit\": 500, " READ_REST, "");
    expect("terminal", "{\"command\": \"x\"}",
           "{\"command\": \"x\", \"timeout\": null, \"workdir\": null, \"merge_stderr\": true}",
           "");
    expect("patch", "{}",
           "{\"path\": null, \"old_string\": null, \"new_string\": null, \"replace_all\": false, "
           "\"mode\": \"replace\", \"patch\": null, \"cross_profile\": false, \"fuzzy\": \"safe\"}",
           "");
    expect("search_files", "{\"pattern\": \"x\"}",
           "{\"pattern\": \"x\", \"target\": \"content\", \"path\": \".\", \"file_glob\": null, "
           "\"limit\": 50, \"offset\": 0, \"output_mode\": \"content\", \"context\": 0, "
           "\"order\": \"discovery\", \"include_hidden\": false, \"include_ignored\": false, "
           "\"include_dirs\": false}",
           "");
    expect("web_extract", "{\"urls\": [\"http://a\"]}",
           "{\"urls\": [\"http://a\"], \"char_limit\": null}", "");
    expect("web_search", "{\"query\": \"q\"}", "{\"query\": \"q\", \"limit\": 5}", "");
    expect("write_file", "{\"path\": \"a\", \"content\": \"\"}",
           "{\"path\": \"a\", \"content\": \"\", \"cross_profile\": false}", "");
}

static void test_order_of_keys(void **state)
{
    (void)state;
    json_t *args = parse("{\"limit\": 3, \"path\": \"a\"}");
    json_t *got = spec_validate(toolset_builtin_find("read_file"), args, NULL, NULL);
    char *text = json_dumps(got, JSON_COMPACT);
    assert_string_equal(text, "{\"path\":\"a\",\"offset\":1,\"limit\":3,\"raw\":false,"
                              "\"encoding\":\"utf-8\"}");
    free(text);
    json_decref(got);
    json_decref(args);
}

/* offset as given -> as read, with the warning. */
static void expect_offset(const char *given, const char *read, const char *warning)
{
    char in[200], out[200];
    snprintf(in, sizeof(in), "{\"path\": \"a\", \"offset\": %s}", given);
    snprintf(out, sizeof(out), "{\"path\": \"a\", \"offset\": %s, \"limit\": 500, " READ_REST,
             read);
    expect("read_file", in, out, warning);
}

#define DEFAULT_USED "; its default 1 was used."

static void test_integers(void **state)
{
    (void)state;
    expect_offset("7", "7", "");
    expect_offset("-7", "-7", "");
    expect_offset("9223372036854775807", "9223372036854775807", "");
    expect_offset("\"20\"", "20", "offset was given as text and read as the int 20.");
    expect_offset("\" -3\\n\"", "-3", "offset was given as text and read as the int -3.");
    expect_offset("\"+3\"", "3", "offset was given as text and read as the int 3.");
    expect_offset("20.0", "20", "offset was given as float and read as the int 20.");
    expect_offset("1e3", "1000", "offset was given as float and read as the int 1000.");
    expect_offset("-0.0", "0", "offset was given as float and read as the int 0.");
    expect_offset("20.5", "1",
                  "offset must be int, not a float with a fraction or out of range" DEFAULT_USED);
    expect_offset("1e300", "1",
                  "offset must be int, not a float with a fraction or out of range" DEFAULT_USED);
    expect_offset("true", "1", "offset must be int, not bool" DEFAULT_USED); /* B28 */
    expect_offset("null", "1", "offset must be int, not None" DEFAULT_USED);
    expect_offset("[1]", "1", "offset must be int, not list" DEFAULT_USED);
    expect_offset("{}", "1", "offset must be int, not dict" DEFAULT_USED);
}

static void test_integer_texts_that_are_none(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\"\"",
        "\" \"",
        "\"x\"",
        "\"1x\"",
        "\"1 2\"",
        "\"- 1\"",
        "\"--1\"",
        "\"0x10\"",
        "\"1_0\"",
        "\"1.0\"",
        "\"1\\u0000\"",
        "\"\\u0661\"",
        "\"99999999999999999999\"",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        expect_offset(texts[i], "1", "offset must be int, not text that is no number" DEFAULT_USED);
}

static void test_warnings_add_up(void **state)
{
    (void)state;
    expect("read_file", "{\"path\": \"a\", \"offset\": \"2\", \"limit\": false}",
           "{\"path\": \"a\", \"offset\": 2, \"limit\": 500, " READ_REST,
           "offset was given as text and read as the int 2. "
           "limit must be int, not bool; its default 500 was used.");
    expect("terminal", "{\"command\": \"x\", \"timeout\": \"soon\"}",
           "{\"command\": \"x\", \"timeout\": null, \"workdir\": null, \"merge_stderr\": true}",
           "timeout must be int, not text that is no number; its default None was used.");

    struct buf full = BUF_INIT(10); /* a full buffer drops the sentence, not the call */
    json_t *args = parse("{\"path\": \"a\", \"offset\": \"2\"}");
    json_t *got = spec_validate(toolset_builtin_find("read_file"), args, &full, NULL);
    assert_int_equal(json_integer_value(json_object_get(got, "offset")), 2);
    assert_int_equal(full.length, 0);
    json_decref(got);
    json_decref(args);
}

static void test_wrong_types(void **state)
{
    (void)state;
    expect_error("read_file", "{\"path\": 5}", "read_file() argument 'path' must be str, not int");
    expect_error("read_file", "{\"path\": null}",
                 "read_file() argument 'path' must be str, not None");
    expect_error(
        "write_file", "{\"path\": \"a\", \"content\": {\"a\": 1}}",
        "write_file() argument 'content' must be str, not dict; make text of it first, with "
        "json.dumps");
    expect_error("terminal", "{\"command\": \"x\", \"workdir\": 1.5}",
                 "terminal() argument 'workdir' must be str or None, not float");
    expect_error("patch", "{\"replace_all\": \"yes\"}",
                 "patch() argument 'replace_all' must be bool, not str");
    expect_error("patch", "{\"replace_all\": 1}",
                 "patch() argument 'replace_all' must be bool, not int");
    expect_error("web_extract", "{\"urls\": \"http://a\"}",
                 "web_extract() argument 'urls' must be list, not str");
    expect_error("terminal", "[\"x\"]", "the arguments of terminal() must be an object, not array");
    expect_error("search_files", "{\"pattern\": \"x\", \"path\": null}",
                 "search_files() argument 'path' must be str, not None");
}

static void test_missing(void **state)
{
    (void)state;
    struct err err = ERR_INIT;

    expect_error("read_file", "{}", "read_file() missing required argument: 'path'");
    expect_error("write_file", "{}", "write_file() missing required arguments: 'path', 'content'");
    expect_error("write_file", "{\"path\": \"a\"}",
                 "write_file() missing required argument: 'content'");
    assert_null(spec_validate(toolset_builtin_find("terminal"), NULL, NULL, &err));
    assert_string_equal(err.text, "terminal() missing required argument: 'command'");
}

static void test_unknown(void **state)
{
    (void)state;
    expect_error("read_file", "{\"pth\": \"a\"}",
                 "read_file() got an unexpected keyword argument 'pth'; did you mean 'path'?");
    expect_error("terminal", "{\"command\": \"x\", \"code\": \"y\", \"zzzzzz\": 1}",
                 "terminal() got an unexpected keyword argument 'code'; it takes command, timeout, "
                 "workdir, merge_stderr");
    expect_error(
        "terminal", "{\"command\": \"\", \"ääääääääääääääääääääääääääääääää\": 1}",
        "terminal() got an unexpected keyword argument 'ääääääääääääääääääää...'; it takes "
        "command, timeout, workdir, merge_stderr");
}

static void test_forbidden_are_dropped(void **state)
{
    (void)state;
    expect("terminal",
           "{\"command\": \"x\", \"background\": true, \"pty\": 1, \"notify_on_complete\": null, "
           "\"watch_patterns\": [\"a\"]}",
           "{\"command\": \"x\", \"timeout\": null, \"workdir\": null, \"merge_stderr\": true}",
           "");
    expect_error(
        "read_file", "{\"path\": \"a\", \"background\": true}",
        "read_file() got an unexpected keyword argument 'background'; it takes path, offset, "
        "limit, raw, encoding");
}

static void test_choices(void **state)
{
    (void)state;
    json_t *args = parse("{\"pattern\": \"x\", \"target\": \"grep\"}");
    json_t *got = spec_validate(toolset_builtin_find("search_files"), args, NULL, NULL);
    assert_string_equal(json_string_value(json_object_get(got, "target")), "content");
    json_decref(got);
    json_decref(args);

    expect_error(
        "search_files", "{\"pattern\": \"x\", \"target\": \"file\"}",
        "search_files() argument 'target' must be 'content' or 'files', not 'file'; did you "
        "mean 'files'?");
    expect_error(
        "search_files", "{\"pattern\": \"x\", \"output_mode\": \"zzz\"}",
        "search_files() argument 'output_mode' must be 'content', 'files_only' or 'count', "
        "not 'zzz'");
    expect_error("patch", "{\"mode\": \"undo\"}",
                 "patch() argument 'mode' must be 'replace' or 'patch', not 'undo'");
}

static const struct spec_param all_types[] = {
    {.name = "i", .type = SPEC_INTEGER, .required = true},
    {.name = "n", .type = SPEC_NUMBER, .default_json = "2.5"},
    {.name = "b", .type = SPEC_BOOLEAN},
    {.name = "a", .type = SPEC_ARRAY, .nullable = true},
    {.name = "o", .type = SPEC_OBJECT},
    {.name = "any", .type = SPEC_ANY},
    {.name = "from", .python_name = "from_", .type = SPEC_STRING},
};
static const struct tool_spec all = {.name = "all", .params = all_types, .param_count = 7};

static void test_all_types(void **state)
{
    (void)state;
    /* Optional without a default: left out when not given, and None means not given, unless null is
     * a value of its own. */
    expect_spec(&all, "{\"i\": 1}", "{\"i\": 1, \"n\": 2.5}", "");
    expect_spec(&all, "{\"i\": 1, \"b\": null, \"a\": null, \"o\": null}",
                "{\"i\": 1, \"n\": 2.5, \"a\": null}", "");
    expect_spec(&all, "{\"i\": 1, \"any\": null}", "{\"i\": 1, \"n\": 2.5}", "");
    expect_spec(&all,
                "{\"i\": 1, \"n\": 3, \"b\": true, \"a\": [{}], \"o\": {\"x\": [1]}, \"any\": 1.5, "
                "\"from\": \"f\"}",
                "{\"i\": 1, \"n\": 3, \"b\": true, \"a\": [{}], \"o\": {\"x\": [1]}, \"any\": 1.5, "
                "\"from\": \"f\"}",
                "");
    expect_spec(&all, "{\"i\": \"4\", \"n\": \"5\"}", "{\"i\": 4, \"n\": 5}",
                "i was given as text and read as the int 4. n was given as text and read as the "
                "number 5.");
    expect_spec(&all, "{\"i\": 1, \"n\": \"-0.25\"}", "{\"i\": 1, \"n\": -0.25}",
                "n was given as text and read as the number -0.25.");
    expect_spec(&all, "{\"i\": 1, \"n\": \"nan\"}", "{\"i\": 1, \"n\": 2.5}",
                "n must be float, not text that is no number; its default 2.5 was used.");
    expect_spec(&all, "{\"i\": 1, \"n\": false}", "{\"i\": 1, \"n\": 2.5}",
                "n must be float, not bool; its default 2.5 was used.");
    expect_error_spec(&all, "{\"i\": true}", "all() argument 'i' must be int, not bool");
    expect_error_spec(&all, "{\"i\": \"x\"}", "all() argument 'i' must be int, not str");
    expect_error_spec(&all, "{\"i\": 1, \"o\": []}", "all() argument 'o' must be dict, not list");
    expect_error_spec(&all, "{\"i\": 1, \"from\": 1}",
                      "all() argument 'from_' must be str, not int");
}

static void test_open(void **state)
{
    (void)state;
    struct tool_spec open = all;
    open.flags = SPEC_OPEN;
    expect_spec(&open, "{\"more\": [1], \"i\": 1}", "{\"more\": [1], \"i\": 1, \"n\": 2.5}", "");
}

static void survive(const char *tool, const char *text)
{
    json_t *args = parse(text);
    int n = 0;
    bool fired;

    do {
        struct err err = ERR_INIT;
        struct buf warning = BUF_INIT(0);
        fail_alloc_at(n++);
        json_t *got = spec_validate(toolset_builtin_find(tool), args, &warning, &err);
        fired = fail_alloc_stop();
        if (!got)
            assert_true(err.code == -ENOMEM || err.code == -EINVAL);
        if (got && fired) /* only advice may be lost */
            assert_non_null(json_object_get(got, "path"));
        json_decref(got);
        buf_deinit(&warning);
    } while (fired);
    json_decref(args);
}

static void test_no_memory(void **state)
{
    (void)state;
    survive("read_file", "{\"path\": \"a\", \"offset\": \"2\", \"limit\": 3.0}");
    survive("read_file", "{\"pth\": \"a\"}");
    survive("read_file", "{\"zzzzzzzz\": \"a\"}");
    survive("search_files", "{\"pattern\": \"a\", \"target\": \"grep\"}");
    survive("patch", "{\"mode\": \"x\"}");
    survive("write_file", "{}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_order_of_keys),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_integer_texts_that_are_none),
        cmocka_unit_test(test_warnings_add_up),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_forbidden_are_dropped),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_all_types),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
