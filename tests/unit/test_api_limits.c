/* SPDX-License-Identifier: MIT
 *
 * Limits that fire, and say which one and how much.
 */
#include "api_harness.h"

#include <string.h>

static void expect_words(const json_t *result, const char *status, const char *key,
                         const char *words)
{
    if (strcmp(harness_text(result, "status"), status) != 0 ||
        !strstr(harness_text(result, key), words))
        fail_msg("expected %s with '%s' in %s: %s", status, words, key,
                 json_dumps(result, JSON_INDENT(1)));
}

static void wall_clock(void **state)
{
    json_t *result;

    harness_set(*state, "timeout", "0.5");
    result = harness_run(*state, "print('before')\nimport time\ntime.sleep(60)");
    expect_words(result, "timeout", "error", "timed out after 0.5 s");
    expect_words(result, "timeout", "output", "before");
    expect_words(result, "timeout", "output", "timed out");
    json_decref(result);
}

static void cpu_time(void **state)
{
    json_t *result;

    harness_set(*state, "cpu", "1");
    result = harness_run(*state, "while True: pass");
    expect_words(result, "timeout", "error", "1 s of CPU time");
    json_decref(result);
}

static void memory(void **state)
{
    json_t *result;

    harness_set(*state, "memory", "100M");
    result =
        harness_run(*state, "x = bytearray(50 << 20)\nprint('fits')\ny = bytearray(200 << 20)");
    expect_words(result, "error", "error", "MemoryError");
    expect_words(result, "error", "output", "fits");
    expect_words(result, "error", "hint", "100.0 MiB");
    json_decref(result);
}

static void memory_limit_is_the_run_s_own(void **state)
{
    json_t *result;

    /* What a zygote has imported must not eat the run's allowance. */
    harness_set(*state, "memory", "64M");
    harness_set(*state, "preload", "asyncio,decimal,sqlite3");
    result = harness_run(*state, "x = bytearray(40 << 20)\nprint('fits')");
    harness_expect(result, "success", "fits\n");
    json_decref(result);
}

static void file_size(void **state)
{
    json_t *result;

    harness_set(*state, "max_file", "1M");
    result = harness_run(*state, "open('big', 'wb').write(b'x' * (2 << 20))");
    expect_words(result, "error", "error", "File too large");
    expect_words(result, "error", "hint", "max_file");
    json_decref(result);
}

static void tool_calls(void **state)
{
    json_t *result;

    harness_set(*state, "max_tool_calls", "2");
    result = harness_run(*state, "from hermes_tools import read_file\n"
                                 "for i in range(4): print(read_file('x')['error'][:24])");
    harness_expect(result, "success",
                   "File not found: x\nFile not found: x\n"
                   "Tool call limit reached \nTool call limit reached \n");
    assert_int_equal(json_integer_value(json_object_get(result, "tool_calls_made")), 2);
    json_decref(result);
}

static void endless_refused_calls_end_the_run(void **state)
{
    json_t *result;

    harness_set(*state, "max_tool_calls", "5");
    result = harness_run(*state, "from hermes_tools import read_file\nwhile True: read_file('x')");
    expect_words(result, "error", "error", "had been refused");
    json_decref(result);
}

static void signal_names(void **state)
{
    json_t *result = harness_run(*state, "import os\nprint('a', flush=True)\nos.abort()");

    expect_words(result, "error", "error", "SIGABRT");
    expect_words(result, "error", "signal", "SIGABRT");
    expect_words(result, "error", "output", "a\n");
    assert_int_equal(json_integer_value(json_object_get(result, "exit_code")), 134);
    json_decref(result);
}

static void missing_module_hint(void **state)
{
    json_t *result = harness_run(*state, "import no_such_module_at_all");

    expect_words(result, "error", "hint", "no_such_module_at_all");
    json_decref(result);
}

static void tool_name_hint(void **state)
{
    json_t *result = harness_run(*state, "print(read_file('x'))");

    expect_words(result, "error", "hint", "from hermes_tools import read_file");
    json_decref(result);
}

static void without_namespaces(void **state)
{
    json_t *result, *sandbox;

    harness_set(*state, "no_namespaces", "true");
    result = harness_run(*state, "import subprocess, os\nfrom hermes_tools import terminal\n"
                                 "subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
                                 "print(terminal('echo x')['output'].strip())");
    harness_expect(result, "success", "x\n");
    sandbox = json_object_get(result, "sandbox");
    assert_int_equal(json_integer_value(json_object_get(sandbox, "tier")), 2);
    assert_non_null(json_object_get(sandbox, "namespaces_error"));
    json_decref(result);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, harness_setup, harness_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(wall_clock),
        TEST(cpu_time),
        TEST(memory),
        TEST(memory_limit_is_the_run_s_own),
        TEST(file_size),
        TEST(tool_calls),
        TEST(endless_refused_calls_end_the_run),
        TEST(signal_names),
        TEST(missing_module_hint),
        TEST(tool_name_hint),
        TEST(without_namespaces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
