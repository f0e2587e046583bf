/* SPDX-License-Identifier: MIT
 *
 * The built-in specs keep their promises, and selections name their mistakes.
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

/* The arguments of the reference, in its order; ours come behind them. */
static void test_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *tool, *arguments;
    } want[] = {
        {"web_search", "query limit "},
        {"web_extract", "urls char_limit "},
        {"read_file", "path offset limit raw encoding "},
        {"write_file", "path content cross_profile "},
        {"search_files", "pattern target path file_glob limit offset output_mode context order "
                         "include_hidden include_ignored include_dirs "},
        {"patch", "path old_string new_string replace_all mode patch cross_profile fuzzy "},
        {"terminal", "command timeout workdir merge_stderr "},
    };
    size_t count;
    const struct tool_spec *const *builtin = toolset_builtin(&count);

    assert_int_equal(count, sizeof(want) / sizeof(want[0]));
    for (size_t i = 0; i < count; i++) {
        struct buf names = BUF_INIT(0);
        assert_string_equal(builtin[i]->name, want[i].tool);
        for (size_t k = 0; k < builtin[i]->param_count; k++)
            assert_int_equal(buf_append_format(&names, "%s ", builtin[i]->params[k].name), 0);
        assert_int_equal(names.length, strlen(want[i].arguments));
        assert_memory_equal(names.data, want[i].arguments, names.length);
        buf_deinit(&names);
    }
}

static void test_specs_are_sound(void **state)
{
    (void)state;
    size_t count;
    const struct tool_spec *const *builtin = toolset_builtin(&count);

    for (size_t i = 0; i < count; i++) {
        const struct tool_spec *spec = builtin[i];
        bool optional = false;
        char *python_name = spec_make_python_name(spec->name, true);
        assert_string_equal(python_name, spec->name);
        free(python_name);
        assert_true(strlen(spec->summary) > 10 && strlen(spec->result_doc) > 10);
        assert_false(spec->flags & (SPEC_RAISES | SPEC_OPEN));
        for (size_t k = 0; k < spec->param_count; k++) {
            const struct spec_param *param = &spec->params[k];
            python_name = spec_make_python_name(param->name, false);
            assert_string_equal(python_name, param->name);
            free(python_name);
            assert_false(param->required && optional); /* Python's rule */
            optional = optional || !param->required;
            assert_true(param->required != (param->default_json != NULL));
            assert_null(strchr(param->doc, '\n'));
            assert_true(param->doc[strlen(param->doc) - 1] == '.');
        }
    }
}

static void expect_flags(const char *tool, enum spec_place place, unsigned flags)
{
    const struct tool_spec *spec = toolset_builtin_find(tool);
    assert_int_equal(spec->place, place);
    assert_int_equal(spec->flags, flags);
}

static void test_flags(void **state)
{
    (void)state;
    expect_flags("read_file", SPEC_LOCAL, SPEC_READ_ONLY | SPEC_PARALLEL_SAFE);
    expect_flags("search_files", SPEC_LOCAL, SPEC_READ_ONLY | SPEC_PARALLEL_SAFE);
    expect_flags("terminal", SPEC_LOCAL, SPEC_PARALLEL_SAFE);
    expect_flags("write_file", SPEC_LOCAL, 0);
    expect_flags("patch", SPEC_LOCAL, 0);
    expect_flags("web_search", SPEC_BROKER, SPEC_READ_ONLY | SPEC_PARALLEL_SAFE);
    expect_flags("web_extract", SPEC_BROKER, SPEC_READ_ONLY | SPEC_PARALLEL_SAFE);
    assert_null(toolset_builtin_find("nope"));
}

static void test_forbidden(void **state)
{
    (void)state;
    const struct tool_spec *terminal = toolset_builtin_find("terminal");
    const struct tool_spec own = {.name = "terminal"};

    assert_true(toolset_is_forbidden_param(terminal, "background"));
    assert_true(toolset_is_forbidden_param(terminal, "pty"));
    assert_true(toolset_is_forbidden_param(terminal, "notify_on_complete"));
    assert_true(toolset_is_forbidden_param(terminal, "watch_patterns"));
    assert_false(toolset_is_forbidden_param(terminal, "command"));
    assert_false(toolset_is_forbidden_param(toolset_builtin_find("patch"), "background"));
    assert_false(toolset_is_forbidden_param(&own, "background"));
    for (size_t i = 0; i < terminal->param_count; i++)
        assert_false(toolset_is_forbidden_param(terminal, terminal->params[i].name));
}

static const struct tool_spec roll = {.name = "roll_dice"};
static const struct tool_spec imposter = {.name = "terminal"};
static const struct tool_spec *const extras[] = {&roll, &imposter};
static const struct toolset extra = {(const struct tool_spec **)extras, 2};

static void expect_selection(const char *list, const char *names)
{
    struct toolset set;
    struct buf got = BUF_INIT(0);
    struct err err = ERR_INIT;

    if (toolset_select(&set, list, &extra, &err) < 0)
        fail_msg("%s: %s", list, err.text);
    assert_int_equal(toolset_append_names(&got, &set), 0);
    assert_int_equal(got.length, strlen(names));
    assert_memory_equal(got.data, names, got.length);
    buf_deinit(&got);
    toolset_deinit(&set);
}

static void test_select(void **state)
{
    (void)state;
    expect_selection("", "none");
    expect_selection(NULL, "none");
    expect_selection("none", "none");
    expect_selection(" none , ", "none");
    expect_selection("terminal", "terminal");
    expect_selection(" read_file ,\tterminal ", "read_file and terminal");
    expect_selection("terminal,read_file,terminal", "terminal and read_file");
    expect_selection("roll_dice,patch", "roll_dice and patch");
    expect_selection("all", "web_search, web_extract, read_file, write_file, search_files, patch, "
                            "terminal and roll_dice");
    expect_selection("patch,all", "patch, web_search, web_extract, read_file, write_file, "
                                  "search_files, terminal and roll_dice");

    struct toolset set;
    assert_int_equal(toolset_select(&set, "all", NULL, NULL), 0);
    assert_int_equal(set.count, 7);
    assert_ptr_equal(toolset_find(&set, "terminal"), toolset_builtin_find("terminal"));
    assert_null(toolset_find(&set, "roll_dice"));
    toolset_deinit(&set);
}

static void expect_error(const char *list, const struct toolset *more, const char *message)
{
    struct toolset set;
    struct err err = ERR_INIT;
    assert_int_equal(toolset_select(&set, list, more, &err), -EINVAL);
    assert_string_equal(err.text, message);
    assert_int_equal(set.count, 0);
    assert_null(set.specs);
}

static void test_select_errors(void **state)
{
    (void)state;
    expect_error("readfile", NULL, "there is no tool 'readfile'; did you mean 'read_file'?");
    expect_error("terminal,roll-dice", &extra,
                 "there is no tool 'roll-dice'; did you mean 'roll_dice'?");
    expect_error("roll_dice", NULL,
                 "there is no tool 'roll_dice'; there are web_search, web_extract, read_file, "
                 "write_file, search_files, patch and terminal");
    expect_error("none,terminal", NULL, "'none' cannot stand beside names of tools");
    expect_error("terminal,none", NULL, "'none' cannot stand beside names of tools");
}

static void test_add(void **state)
{
    (void)state;
    struct toolset set = {0};
    struct tool_spec specs[20] = {0};
    char names[20][16];

    for (int i = 0; i < 20; i++) {
        snprintf(names[i], sizeof(names[i]), "t%d", i);
        specs[i].name = names[i];
        assert_int_equal(toolset_add(&set, &specs[i]), 0);
        assert_int_equal(toolset_add(&set, &specs[i]), -EEXIST);
    }
    assert_int_equal(set.count, 20);
    for (int i = 0; i < 20; i++)
        assert_ptr_equal(toolset_find(&set, names[i]), &specs[i]);
    toolset_deinit(&set);
    toolset_deinit(&set);
}

static void select_once(const char *list)
{
    struct toolset set;
    struct err err = ERR_INIT;
    int r = toolset_select(&set, list, &extra, &err);
    assert_true(r == 0 || r == -ENOMEM || (r == -EINVAL && strcmp(list, "zzz") == 0));
    if (r < 0)
        assert_int_equal(set.count, 0);
    toolset_deinit(&set);
}

static void test_no_memory(void **state)
{
    (void)state;
    FAIL_EACH_ALLOC(select_once("all"));
    FAIL_EACH_ALLOC(select_once("patch,terminal,read_file"));
    FAIL_EACH_ALLOC(select_once("zzz"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_specs_are_sound),
        cmocka_unit_test(test_flags),     cmocka_unit_test(test_forbidden),
        cmocka_unit_test(test_select),    cmocka_unit_test(test_select_errors),
        cmocka_unit_test(test_add),       cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
