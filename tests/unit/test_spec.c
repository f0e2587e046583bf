/* SPDX-License-Identifier: MIT
 *
 * Lookups, overlap rules, and names, types and defaults in Python's spelling.
 */
#include "fail_alloc.h"

#include "base/buf.h"
#include "spec/toolset.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_find(void **state)
{
    (void)state;
    const struct tool_spec *terminal = toolset_builtin_find("terminal");

    assert_int_equal(spec_find_param(terminal, "command"), 0);
    assert_int_equal(spec_find_param(terminal, "workdir"), 2);
    assert_int_equal(spec_find_param(terminal, "Command"), -1);
    assert_int_equal(spec_find_python_param(terminal, "timeout"), 1);
    assert_int_equal(spec_find_python_param(terminal, "time_out"), -1);
}

static bool overlap(const char *a, const char *b)
{
    bool forth = spec_may_overlap(toolset_builtin_find(a), toolset_builtin_find(b));
    assert_int_equal(forth, spec_may_overlap(toolset_builtin_find(b), toolset_builtin_find(a)));
    return forth;
}

static void test_overlap(void **state)
{
    (void)state;
    assert_true(overlap("read_file", "read_file"));
    assert_true(overlap("read_file", "search_files"));
    assert_true(overlap("terminal", "terminal"));
    assert_false(overlap("terminal", "read_file")); /* C04 */
    assert_false(overlap("write_file", "write_file"));
    assert_false(overlap("write_file", "read_file"));
    assert_false(overlap("patch", "terminal"));
    assert_true(overlap("web_search", "web_extract"));
    assert_true(overlap("web_search", "patch"));
    assert_true(overlap("terminal", "web_extract"));

    const struct tool_spec slow = {.name = "slow", .place = SPEC_BROKER};
    assert_false(spec_may_overlap(&slow, &slow));
    assert_false(spec_may_overlap(&slow, toolset_builtin_find("terminal")));
    assert_true(spec_may_overlap(&slow, toolset_builtin_find("web_search")));
}

static void expect_name(const char *name, bool is_function, const char *python_name)
{
    char *made = spec_make_python_name(name, is_function);
    assert_string_equal(made, python_name);
    free(made);
}

static void test_python_names(void **state)
{
    (void)state;
    expect_name("path", false, "path");
    expect_name("create-issue", true, "create_issue");
    expect_name("a.b/c d", true, "a_b_c_d");
    expect_name("from", false, "from_");
    expect_name("None", false, "None_");
    expect_name("from_", false, "from_");
    expect_name("2nd", false, "_2nd");
    expect_name("", false, "_");
    expect_name("größe", false, "gr__e");
    expect_name("日本", false, "__");
    expect_name("retry", false, "retry"); /* fine as an argument, taken as a function */
    expect_name("retry", true, "retry_");
    expect_name("list", true, "list_");
    expect_name("class", true, "class_");
    expect_name("__all__", true, "__all___");
    expect_name("_start", true, "_start_");
    expect_name("_start", false, "_start");
    expect_name("match", false, "match"); /* soft keywords are identifiers */
}

static void expect_type(struct spec_param param, const char *type)
{
    assert_string_equal(spec_python_type(&param), type);
}

static void test_python_types(void **state)
{
    (void)state;
    expect_type((struct spec_param){.type = SPEC_STRING, .required = true}, "str");
    expect_type((struct spec_param){.type = SPEC_STRING, .nullable = true, .required = true},
                "Optional[str]");
    expect_type((struct spec_param){.type = SPEC_INTEGER, .default_json = "1"}, "int");
    expect_type((struct spec_param){.type = SPEC_INTEGER}, "Optional[int]");
    expect_type((struct spec_param){.type = SPEC_NUMBER, .required = true}, "float");
    expect_type((struct spec_param){.type = SPEC_BOOLEAN, .required = true}, "bool");
    expect_type((struct spec_param){.type = SPEC_ARRAY, .required = true}, "list");
    expect_type((struct spec_param){.type = SPEC_OBJECT}, "Optional[dict]");
    expect_type((struct spec_param){.type = SPEC_ANY}, "Any");
}

static void expect_default(const char *json, const char *python)
{
    struct buf buf = BUF_INIT(0);
    struct spec_param param = {.name = "p", .type = SPEC_ANY, .default_json = json};

    assert_int_equal(spec_python_default(&buf, &param), 0);
    assert_int_equal(buf.length, strlen(python));
    assert_memory_equal(buf.data, python, buf.length);
    buf_deinit(&buf);
}

static void test_python_defaults(void **state)
{
    (void)state;
    expect_default(NULL, "None");
    expect_default("null", "None");
    expect_default("true", "True");
    expect_default("false", "False");
    expect_default("500", "500");
    expect_default("-0.5", "-0.5");
    expect_default("\".\"", "'.'");
    expect_default("\"\"", "''");
    expect_default("\"it's \\\\ \\n\\t\\u0000 \\u007f \\\"ü\\\"\"",
                   "'it\\'s \\\\ \\n\\x09\\x00 \\x7f \"ü\"'");
    expect_default("[]", "[]");
    expect_default("[1, [null], \"a\"]", "[1, [None], 'a']");
    expect_default("{\"a\": true, \"b\": {}}", "{'a': True, 'b': {}}");

    struct buf buf = BUF_INIT(0);
    struct spec_param param = {.name = "p", .required = true, .default_json = "1"};
    assert_int_equal(spec_python_default(&buf, &param), 0);
    assert_int_equal(buf.length, 0);
}

static void default_once(void)
{
    struct buf buf = BUF_INIT(0);
    struct spec_param param = {.name = "p", .default_json = "{\"a\": [1, \"b\"]}"};
    int r = spec_python_default(&buf, &param);
    assert_true(r == 0 || r == -ENOMEM);
    buf_deinit(&buf);
    free(spec_make_python_name("from", true));
}

static void test_no_memory(void **state)
{
    (void)state;
    FAIL_EACH_ALLOC(default_once());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_python_names),
        cmocka_unit_test(test_python_types),
        cmocka_unit_test(test_python_defaults),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
