/* SPDX-License-Identifier: MIT
 *
 * Options by name: values, ranges, messages, and who wins between a profile and a hand.
 */
#include "api/settings.h"

#include "unit.h"

#include <string.h>

static int start(void **state)
{
    *state = ptc_settings_new(NULL);
    return *state ? 0 : -1;
}

static int end(void **state)
{
    ptc_settings_free(*state);
    return 0;
}

static void set(struct ptc_settings *settings, const char *name, const char *value)
{
    struct ptc_error error = PTC_ERROR_INIT;

    if (ptc_settings_set(settings, name, value, &error) != PTC_OK)
        fail_msg("%s=%s: %s", name, value ? value : "(none)", error.message);
}

/* The value is refused, the message has all of these words, and nothing changed. */
static void refused(struct ptc_settings *settings, const char *name, const char *value,
                    const char *words)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct policy before = settings->policy;

    assert_int_equal(ptc_settings_set(settings, name, value, &error), PTC_E_INVALID);
    assert_int_equal(error.code, PTC_E_INVALID);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not say '%s'", error.message, words);
    assert_memory_equal(&before, &settings->policy, offsetof(struct policy, env));
    assert_int_equal(before.env.count, settings->policy.env.count);
    assert_int_equal(before.preload.count, settings->policy.preload.count);
}

static void the_table_says_the_defaults(void **state)
{
    struct ptc_settings *settings = *state;
    struct policy untouched = settings->policy;

    for (size_t i = 0; ptc_option_info_at(i); i++) {
        const struct ptc_option_info *info = ptc_option_info_at(i);
        assert_int_equal(info->struct_size, sizeof *info);
        if (info->default_value && strcmp(info->name, "tools") != 0)
            set(settings, info->name, info->default_value);
    }
    assert_memory_equal(&untouched, &settings->policy, sizeof untouched);
}

static void helps_are_sentences(void **state)
{
    (void)state;
    for (size_t i = 0; ptc_option_info_at(i); i++) {
        const char *help = ptc_option_info_at(i)->help;
        size_t length = help ? strlen(help) : 0;
        if (!help)
            continue;
        assert_true(length > 20);
        assert_true(help[length - 1] == '.' || help[length - 1] == ')');
    }
}

static void numbers_take_units(void **state)
{
    struct ptc_settings *settings = *state;

    set(settings, "timeout", "5m");
    assert_int_equal(settings->policy.timeout_ms, 300000);
    set(settings, "timeout", "0.05");
    assert_int_equal(settings->policy.timeout_ms, 50);
    set(settings, "memory", "512M");
    assert_int_equal(settings->policy.memory_bytes, 512 << 20);
    set(settings, "memory", "unlimited");
    assert_int_equal(settings->policy.memory_bytes, 0);
    set(settings, "max_file", "1.5M");
    assert_int_equal(settings->policy.file_bytes, 3 << 19);
    set(settings, "processes", "0");
    assert_int_equal(settings->policy.processes, 0);
}

static void numbers_out_of_range_are_named(void **state)
{
    struct ptc_settings *settings = *state;

    refused(settings, "timeout", "31536000", "timeout: '31536000' is out of range");
    refused(settings, "memory", "1M", "16.0 MiB to 16.0 TiB");
    refused(settings, "memory", "99999999999999999999", "out of range");
    refused(settings, "cpu", "0.01", "100 ms to 2592000 s");
    refused(settings, "processes", "1000001", "1 to 1000000");
    refused(settings, "timeout", "-1", "not a time");
    refused(settings, "timeout", "", "not a time");
    refused(settings, "memory", "much", "not a size");
    refused(settings, "processes", "1.5", "not a whole number");
    refused(settings, "timeout", NULL, "needs a value");
}

/* 0 means no limit: a value that is only nearly 0 must not become it. */
static void small_values_do_not_lift_limits(void **state)
{
    struct ptc_settings *settings = *state;

    set(settings, "timeout", "0.0001");
    assert_int_not_equal(settings->policy.timeout_ms, 0);
    refused(settings, "memory", "0.0001K", "out of range");
    refused(settings, "max_output", "0.0001K", "out of range");
}

static void calls_know_none_and_unlimited(void **state)
{
    struct ptc_settings *settings = *state;

    set(settings, "max_tool_calls", "none");
    assert_true(settings->policy.no_tool_calls);
    set(settings, "max_tool_calls", "7");
    assert_false(settings->policy.no_tool_calls);
    assert_int_equal(settings->policy.max_tool_calls, 7);
    set(settings, "max_tool_calls", "unlimited");
    assert_false(settings->policy.no_tool_calls);
    assert_int_equal(settings->policy.max_tool_calls, 0);
    refused(settings, "max_tool_calls", "few", "none or unlimited");
}

static void choices_list_what_there_is(void **state)
{
    struct ptc_settings *settings = *state;

    refused(settings, "profile", "strickt", "one of project, strict, trusted");
    refused(settings, "net", "some", "one of none, all");
    set(settings, "net", "all");
    assert_int_equal(settings->policy.net, POLICY_NET_ALL);
}

static void switches(void **state)
{
    struct ptc_settings *settings = *state;

    set(settings, "cold", NULL);
    assert_true(settings->policy.cold);
    set(settings, "cold", "false");
    assert_false(settings->policy.cold);
    set(settings, "no_namespaces", "yes");
    assert_true(settings->policy.no_namespaces);
    refused(settings, "cold", "maybe", "true or false");
}

static void unknown_names_meet_the_nearest(void **state)
{
    struct ptc_settings *settings = *state;

    refused(settings, "time_out", "1", "did you mean 'timeout'");
    refused(settings, "max-tool-call", "1", "did you mean 'max_tool_calls'");
    refused(settings, "zzz", "1", "there is no option 'zzz'");
    refused(settings, "", "1", "there is no option");
    refused(settings, NULL, "1", "there is no option");
}

static void env_entries(void **state)
{
    struct ptc_settings *settings = *state;
    struct policy_list *env = &settings->policy.env;

    setenv("PTC_TEST_HERE", "from here", 1);
    set(settings, "env", "PTC_TEST_HERE");
    set(settings, "env", "EMPTY=");
    set(settings, "env", "A=1=2");
    set(settings, "env", "A=3");
    assert_int_equal(env->count, 3);
    assert_string_equal(env->items[0], "PTC_TEST_HERE=from here");
    assert_string_equal(env->items[1], "EMPTY=");
    assert_string_equal(env->items[2], "A=3");
    setenv("PTC_TEST_HERE", "later", 1);
    assert_string_equal(env->items[0], "PTC_TEST_HERE=from here");
    refused(settings, "env", "=1", "not a variable's name");
    refused(settings, "env", "1A=1", "not a variable's name");
    refused(settings, "env", "A B=1", "not a variable's name");
    refused(settings, "env", "", "not a variable's name");
    unsetenv("PTC_TEST_HERE");
    refused(settings, "env", "PTC_TEST_HERE", "is not set here");
}

static void long_env_values_are_refused(void **state)
{
    char *value = malloc(200001);

    memset(value, 'x', 200000);
    memcpy(value, "A=", 2);
    value[200000] = '\0';
    refused(*state, "env", value, "longer than");
    free(value);
}

static void preload_lists(void **state)
{
    struct ptc_settings *settings = *state;
    struct policy_list *preload = &settings->policy.preload;

    set(settings, "preload", "json, os.path");
    set(settings, "preload", "csv,json");
    assert_int_equal(preload->count, 3);
    assert_string_equal(preload->items[1], "os.path");
    assert_string_equal(preload->items[2], "csv");
    refused(settings, "preload", "re,os;evil", "not a module's name");
    refused(settings, "preload", "a..b", "not a module's name");
    assert_int_equal(preload->count, 3);
}

static void a_profile_sets_what_was_not_set(void **state)
{
    struct ptc_settings *settings = *state;

    set(settings, "memory", "1G");
    set(settings, "profile", "strict");
    set(settings, "processes", "5");
    assert_true(settings->policy.memory_bytes == 1ull << 30);
    assert_int_equal(settings->policy.timeout_ms, 30000);
    assert_int_equal(settings->policy.processes, 5);
    set(settings, "profile", "trusted");
    assert_true(settings->policy.memory_bytes == 1ull << 30);
    assert_int_equal(settings->policy.timeout_ms, 300000);
    assert_int_equal(settings->policy.processes, 5);
    assert_int_equal(settings->policy.net, POLICY_NET_ALL);
    set(settings, "profile", "project");
    assert_int_equal(settings->policy.net, POLICY_NET_NONE);
    assert_int_equal(settings->policy.cpu_ms, 120000);
}

static void a_profile_keeps_no_calls(void **state)
{
    struct ptc_settings *settings = *state;

    set(settings, "max_tool_calls", "none");
    set(settings, "profile", "strict");
    assert_true(settings->policy.no_tool_calls);
}

static void a_copy_remembers_what_was_set(void **state)
{
    struct ptc_settings *settings = *state;

    set(settings, "timeout", "7");
    set(settings, "env", "A=1");
    struct ptc_settings *copy = ptc_settings_copy(settings, NULL);
    set(copy, "profile", "strict");
    assert_int_equal(copy->policy.timeout_ms, 7000);
    assert_int_equal(copy->policy.env.count, 1);
    assert_int_equal(settings->policy.profile, POLICY_PROJECT);
    ptc_settings_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_table_says_the_defaults, start, end),
        cmocka_unit_test(helps_are_sentences),
        cmocka_unit_test_setup_teardown(numbers_take_units, start, end),
        cmocka_unit_test_setup_teardown(numbers_out_of_range_are_named, start, end),
        cmocka_unit_test_setup_teardown(small_values_do_not_lift_limits, start, end),
        cmocka_unit_test_setup_teardown(calls_know_none_and_unlimited, start, end),
        cmocka_unit_test_setup_teardown(choices_list_what_there_is, start, end),
        cmocka_unit_test_setup_teardown(switches, start, end),
        cmocka_unit_test_setup_teardown(unknown_names_meet_the_nearest, start, end),
        cmocka_unit_test_setup_teardown(env_entries, start, end),
        cmocka_unit_test_setup_teardown(long_env_values_are_refused, start, end),
        cmocka_unit_test_setup_teardown(preload_lists, start, end),
        cmocka_unit_test_setup_teardown(a_profile_sets_what_was_not_set, start, end),
        cmocka_unit_test_setup_teardown(a_profile_keeps_no_calls, start, end),
        cmocka_unit_test_setup_teardown(a_copy_remembers_what_was_set, start, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
