/* SPDX-License-Identifier: MIT
 *
 * Exit codes, and who tells of a failure.
 */
#include "cli/outcome.h"

#include "unit.h"

static void exit_codes(void **state)
{
    (void)state;
    assert_int_equal(outcome_exit_code("success", 0), 0);
    assert_int_equal(outcome_exit_code("error", 3), 3);
    assert_int_equal(outcome_exit_code("error", 124), 124);
    assert_int_equal(outcome_exit_code("error", 139), 139);
    assert_int_equal(outcome_exit_code("error", 0), 1); /* a failure is never 0 */
    assert_int_equal(outcome_exit_code("error", -1), 1);
    assert_int_equal(outcome_exit_code("timeout", -1), 124);
    assert_int_equal(outcome_exit_code("interrupted", -1), 130);
    assert_int_equal(outcome_exit_code("sandbox_unavailable", -1), 78);
    assert_int_equal(outcome_exit_code("protocol_error", -1), 79);
    assert_int_equal(outcome_exit_code("blocked", -1), 1);
}

static void who_tells(void **state)
{
    (void)state;
    assert_false(outcome_is_ours("success", 0));
    assert_false(outcome_is_ours("error", 1)); /* its traceback is on stderr already */
    assert_true(outcome_is_ours("error", -1));
    assert_true(outcome_is_ours("timeout", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_codes),
        cmocka_unit_test(who_tells),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
