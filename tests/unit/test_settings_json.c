/* SPDX-License-Identifier: MIT
 *
 * The JSON form: types, arrays, null, and that a mistake leaves everything as it was.
 */
#include "api/settings.h"

#include "fail_alloc.h"
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

static void set(struct ptc_settings *settings, const char *json)
{
    struct ptc_error error = PTC_ERROR_INIT;

    if (ptc_settings_set_json(settings, json, strlen(json), &error) != PTC_OK)
        fail_msg("%s: %s", json, error.message);
}

static void refused(struct ptc_settings *settings, const char *json, const char *words)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct ptc_settings before = *settings;

    assert_int_equal(ptc_settings_set_json(settings, json, strlen(json), &error), PTC_E_INVALID);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not say '%s'", error.message, words);
    assert_memory_equal(&before, settings, sizeof before);
}

static void every_type(void **state)
{
    struct ptc_settings *settings = *state;

    set(settings, "{\"timeout\": 0.5, \"memory\": 536870912, \"cpu\": \"2m\", \"cold\": true,"
                  " \"env\": [\"A=1\", \"B=\\u00e9\"], \"preload\": [\"json\", \"csv\"],"
                  " \"max_tool_calls\": \"none\", \"processes\": 5.0, \"net\": \"all\"}");
    assert_int_equal(settings->policy.timeout_ms, 500);
    assert_int_equal(settings->policy.memory_bytes, 512 << 20);
    assert_int_equal(settings->policy.cpu_ms, 120000);
    assert_true(settings->policy.cold);
    assert_int_equal(settings->policy.env.count, 2);
    assert_string_equal(settings->policy.env.items[1], "B=\xc3\xa9");
    assert_int_equal(settings->policy.preload.count, 2);
    assert_true(settings->policy.no_tool_calls);
    assert_int_equal(settings->policy.processes, 5);
    assert_int_equal(settings->policy.net, POLICY_NET_ALL);
}

/* No tools must never turn into all tools. */
static void an_empty_tool_list_is_no_tools(void **state)
{
    struct ptc_settings *settings = *state;

    set(settings, "{\"tools\": [\"read_file\", \"terminal\"]}");
    assert_string_equal(settings->policy.tools, "read_file,terminal");
    set(settings, "{\"tools\": []}");
    assert_string_equal(settings->policy.tools, "");
    set(settings, "{\"tools\": null}");
    assert_null(settings->policy.tools);
}

static void null_is_the_default(void **state)
{
    struct ptc_settings *settings = *state;

    set(settings, "{\"profile\": \"strict\", \"timeout\": 7, \"cold\": true, \"env\": [\"A=1\"],"
                  " \"workspace\": \"/srv\"}");
    set(settings, "{\"timeout\": null, \"cold\": null, \"env\": null, \"workspace\": null}");
    assert_int_equal(settings->policy.timeout_ms, 30000); /* of the profile that is set */
    assert_false(settings->policy.cold);
    assert_int_equal(settings->policy.env.count, 0);
    assert_null(settings->policy.workspace);
    set(settings, "{\"profile\": null}");
    assert_int_equal(settings->policy.timeout_ms, 300000);
}

static void mistakes_set_nothing(void **state)
{
    struct ptc_settings *settings = *state;

    set(settings, "{\"env\": [\"KEEP=1\"], \"workspace\": \"/srv\"}");
    refused(settings, "{\"timeout\": 5, \"memry\": 1}", "did you mean 'memory'");
    refused(settings, "{\"env\": [\"A=1\"], \"workspace\": \"/tmp\", \"cpu\": \"x\"}", "cpu:");
    assert_string_equal(settings->policy.workspace, "/srv");
    assert_string_equal(settings->policy.env.items[0], "KEEP=1");
}

static void wrong_types_are_named(void **state)
{
    struct ptc_settings *settings = *state;

    refused(settings, "{\"timeout\": true}", "timeout: it takes a number or a string, not boolean");
    refused(settings, "{\"timeout\": []}", "not array");
    refused(settings, "{\"timeout\": -1}", "not a time");
    refused(settings, "{\"timeout\": 1e300}", "not a time");
    refused(settings, "{\"processes\": 1.5}", "not a whole number");
    refused(settings, "{\"cold\": 1}", "cold: it takes true or false, not integer");
    refused(settings, "{\"env\": {\"A\": \"1\"}}", "an array of strings");
    refused(settings, "{\"env\": [1]}", "not integer");
    refused(settings, "{\"workspace\": 5}", "a string, not integer");
    refused(settings, "{\"workspace\": \"a\\u0000b\"}", "NUL");
    refused(settings, "{\"profile\": [\"strict\"]}", "not array");
}

static void what_is_no_object_is_refused(void **state)
{
    struct ptc_settings *settings = *state;

    refused(settings, "[]", "object");
    refused(settings, "", "empty");
    refused(settings, "{\"timeout\": 1,\n}", "line 2");
    refused(settings, "{\"timeout\": 1, \"timeout\": 2}", "duplicate");
    refused(settings, "{} x", "");
}

static void no_memory_sets_nothing(void **state)
{
    static const char json[] = "{\"workspace\": \"/srv\", \"env\": [\"A=1\", \"B=2\"],"
                               " \"preload\": [\"json\"], \"timeout\": 0.5}";
    struct ptc_settings *settings = *state, before = *settings;
    int n = 0, r = PTC_E_NO_MEMORY;

    for (; r != PTC_OK && n < 1000; n++) {
        fail_alloc_at(n);
        r = ptc_settings_set_json(settings, json, strlen(json), NULL);
        bool failed = fail_alloc_stop();
        assert_int_equal(r == PTC_OK, !failed);
        if (failed)
            assert_memory_equal(&before, settings, sizeof before);
    }
    assert_in_range(n, 5, 999);
    assert_int_equal(settings->policy.env.count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_type, start, end),
        cmocka_unit_test_setup_teardown(an_empty_tool_list_is_no_tools, start, end),
        cmocka_unit_test_setup_teardown(null_is_the_default, start, end),
        cmocka_unit_test_setup_teardown(mistakes_set_nothing, start, end),
        cmocka_unit_test_setup_teardown(wrong_types_are_named, start, end),
        cmocka_unit_test_setup_teardown(what_is_no_object_is_refused, start, end),
        cmocka_unit_test_setup_teardown(no_memory_sets_nothing, start, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
