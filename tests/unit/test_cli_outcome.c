/* SPDX-License-Identifier: MIT
 *
 * Exit codes, and the signal found in a result.
 */
#include "cli/outcome.h"

#include "unit.h"

#include <signal.h>
#include <string.h>

static void exit_codes(void **state)
{
    (void)state;
    assert_int_equal(outcome_exit_code("success", 0, 0), 0);
    assert_int_equal(outcome_exit_code("error", 3, 0), 3);
    assert_int_equal(outcome_exit_code("error", 124, 0), 124);
    assert_int_equal(outcome_exit_code("error", -1, SIGSEGV), 139);
    assert_int_equal(outcome_exit_code("error", 0, 0), 1); /* a failure is never 0 */
    assert_int_equal(outcome_exit_code("error", -1, 0), 1);
    assert_int_equal(outcome_exit_code("timeout", -1, SIGKILL), 124);
    assert_int_equal(outcome_exit_code("interrupted", -1, SIGINT), 130);
    assert_int_equal(outcome_exit_code("sandbox_unavailable", -1, 0), 78);
    assert_int_equal(outcome_exit_code("protocol_error", -1, 0), 79);
    assert_int_equal(outcome_exit_code("blocked", -1, 0), 1);
}

static void who_tells(void **state)
{
    (void)state;
    assert_false(outcome_is_ours("success", 0));
    assert_false(outcome_is_ours("error", 1)); /* its traceback is on stderr already */
    assert_true(outcome_is_ours("error", -1));
    assert_true(outcome_is_ours("timeout", 0));
}

static int signal_in(const char *json)
{
    return outcome_signal(json, strlen(json));
}

static void signals(void **state)
{
    (void)state;
    assert_int_equal(signal_in("{\"signal\":\"SIGSEGV\"}"), SIGSEGV);
    assert_int_equal(signal_in("{\"a\": 1, \"signal\" : \"SIGKILL\", \"b\": 2}"), SIGKILL);
    assert_int_equal(signal_in("{\"signal\":11}"), 11);
    assert_int_equal(signal_in("{\"signal\":null}"), 0);
    assert_int_equal(signal_in("{\"signal\":\"SIGNOT\"}"), 0);
    assert_int_equal(signal_in("{\"signal\":\"SIGXCPU\"}"), SIGXCPU);
    assert_int_equal(signal_in("{}"), 0);
    assert_int_equal(signal_in(""), 0);
}

/* What a script prints must not choose the exit code. */
static void a_script_cannot_forge_it(void **state)
{
    (void)state;
    assert_int_equal(signal_in("{\"output\":\"\\\"signal\\\":9\",\"signal\":null}"), 0);
    assert_int_equal(signal_in("{\"output\":\"\\\\\",\"signal\":6}"), 6);
    assert_int_equal(signal_in("{\"x\":{\"signal\":9},\"y\":[{\"signal\":9}],\"signal\":15}"), 15);
    assert_int_equal(signal_in("{\"x\":\"signal\",\"y\":9}"), 0);
    assert_int_equal(signal_in("{\"x\":\"unterminated"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_codes),
        cmocka_unit_test(who_tells),
        cmocka_unit_test(signals),
        cmocka_unit_test(a_script_cannot_forge_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
