/* SPDX-License-Identifier: MIT
 *
 * What the profiles start with, and that a copy shares nothing.
 */
#include "run/policy.h"

#include "unit.h"

#include <string.h>

static void project_is_the_default(void **state)
{
    struct policy policy;

    (void)state;
    assert_int_equal(policy_init(&policy), 0);
    assert_int_equal(policy.profile, POLICY_PROJECT);
    assert_int_equal(policy.timeout_ms, 300000);
    assert_int_equal(policy.cpu_ms, 120000);
    assert_true(policy.memory_bytes == 2ull << 30);
    assert_int_equal(policy.processes, 64);
    assert_int_equal(policy.file_bytes, 100 << 20);
    assert_int_equal(policy.output_bytes, 50000);
    assert_int_equal(policy.max_tool_calls, 50);
    assert_false(policy.no_tool_calls);
    assert_int_equal(policy.net, POLICY_NET_NONE);
    assert_null(policy.workspace);
    assert_null(policy.tools);
    policy_deinit(&policy);
}

static void profiles_bring_their_limits(void **state)
{
    struct policy policy;

    (void)state;
    policy_init(&policy);
    policy_set_profile(&policy, POLICY_STRICT);
    assert_int_equal(policy.timeout_ms, 30000);
    assert_int_equal(policy.memory_bytes, 256 << 20);
    assert_int_equal(policy.processes, 16);
    assert_int_equal(policy.net, POLICY_NET_NONE);
    policy_set_profile(&policy, POLICY_TRUSTED);
    assert_int_equal(policy.timeout_ms, 300000);
    assert_int_equal(policy.memory_bytes, 0);
    assert_int_equal(policy.max_tool_calls, 50);
    assert_int_equal(policy.net, POLICY_NET_ALL);
    policy_deinit(&policy);
}

static void strict_leaves_the_terminal_out(void **state)
{
    struct policy policy;

    (void)state;
    policy_init(&policy);
    assert_true(policy_tool_by_default(&policy, "terminal"));
    policy_set_profile(&policy, POLICY_STRICT);
    assert_false(policy_tool_by_default(&policy, "terminal"));
    assert_true(policy_tool_by_default(&policy, "read_file"));
    policy_deinit(&policy);
}

static void a_copy_is_its_own(void **state)
{
    struct policy policy, copy;

    (void)state;
    policy_init(&policy);
    policy.workspace = strdup("/srv");
    policy.tools = strdup("none");
    assert_int_equal(policy_list_add(&policy.env, "A=1"), 0);
    assert_int_equal(policy_list_add(&policy.env, "B=2"), 0);
    assert_int_equal(policy_list_add(&policy.preload, "json"), 0);
    assert_int_equal(policy_copy(&copy, &policy), 0);
    policy_deinit(&policy);
    assert_string_equal(copy.workspace, "/srv");
    assert_string_equal(copy.tools, "none");
    assert_int_equal(copy.env.count, 2);
    assert_string_equal(copy.env.items[1], "B=2");
    assert_string_equal(copy.preload.items[0], "json");
    policy_list_clear(&copy.env);
    assert_int_equal(copy.env.count, 0);
    policy_deinit(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(project_is_the_default),
        cmocka_unit_test(profiles_bring_their_limits),
        cmocka_unit_test(strict_leaves_the_terminal_out),
        cmocka_unit_test(a_copy_is_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
