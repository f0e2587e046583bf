/* SPDX-License-Identifier: MIT
 *
 * Which tools a run gets.
 */
#include "api/settings.h"

#include "base/err.h"
#include "spec/toolset.h"

#include "unit.h"

#include <errno.h>

static const struct tool_spec own_tool = {.name = "own_tool"};
static const struct tool_spec *own_specs[] = {&own_tool};
static const struct toolset extra = {own_specs, 1};

static void expect(const char *list, enum policy_profile profile, size_t count, bool terminal,
                   bool own)
{
    struct policy policy;
    struct toolset set = {0};
    struct err err = ERR_INIT;

    policy_init(&policy);
    policy_set_profile(&policy, profile);
    policy.tools = (char *)list;
    assert_int_equal(settings_select_tools(&policy, &extra, &set, &err), 0);
    assert_int_equal(set.count, count);
    assert_int_equal(toolset_find(&set, "terminal") != NULL, terminal);
    assert_int_equal(toolset_find(&set, "own_tool") != NULL, own);
    toolset_deinit(&set);
}

static void the_profile_decides_without_a_word(void **state)
{
    (void)state;
    expect(NULL, POLICY_PROJECT, 8, true, true);
    expect(NULL, POLICY_STRICT, 7, false, true);
}

static void a_word_decides(void **state)
{
    (void)state;
    expect("all", POLICY_STRICT, 8, true, true);
    expect("terminal", POLICY_STRICT, 1, true, false);
    expect("read_file,own_tool", POLICY_PROJECT, 2, false, true);
    expect("none", POLICY_PROJECT, 0, false, false);
    expect("", POLICY_PROJECT, 0, false, false);
}

static void an_unknown_tool_is_refused(void **state)
{
    struct policy policy;
    struct toolset set = {0};
    struct err err = ERR_INIT;

    (void)state;
    policy_init(&policy);
    policy.tools = (char *)"read_fil";
    assert_int_equal(settings_select_tools(&policy, NULL, &set, &err), -EINVAL);
    toolset_deinit(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_profile_decides_without_a_word),
        cmocka_unit_test(a_word_decides),
        cmocka_unit_test(an_unknown_tool_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
