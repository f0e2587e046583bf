/* SPDX-License-Identifier: MIT
 *
 * The command line: what belongs to the program, what to the run, what to the script.
 */
#include "cli/options.h"

#include "include/ptc_host.h"
#include "unit.h"

#include <string.h>

static bool is_command(const char *name)
{
    return strcmp(name, "schema") == 0 || strcmp(name, "bench") == 0 || strcmp(name, "help") == 0;
}

/* Splits at spaces; the words must live as long as the options. */
static int parse(struct cli_options *options, char *line)
{
    static char *argv[32];
    int argc = 1;
    char *rest = NULL;

    argv[0] = (char *)"ptc-host";
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    argv[argc] = NULL;
    return options_parse(options, argc, argv, is_command);
}

static void refused(const char *line, const char *words)
{
    struct cli_options options;
    char *copy = strdup(line);

    assert_int_equal(parse(&options, copy), -1);
    if (!strstr(options.problem, words))
        fail_msg("'%s' does not say '%s'", options.problem, words);
    options_deinit(&options);
    free(copy);
}

static void a_script_takes_the_rest(void **state)
{
    struct cli_options options;
    char line[] = "--timeout 5 --json a.py --json -x -- y";

    (void)state;
    assert_int_equal(parse(&options, line), 0);
    assert_string_equal(options.script, "a.py");
    assert_true(options.json);
    assert_int_equal(options.run_count, 1);
    assert_string_equal(options.run[0].name, "timeout");
    assert_string_equal(options.run[0].value, "5");
    assert_int_equal(options.arg_count, 4);
    assert_string_equal(options.args[0], "--json");
    assert_string_equal(options.args[2], "--");
    options_deinit(&options);
}

static void options_go_on_after_code(void **state)
{
    struct cli_options options;
    char line[] = "-c pass --max-tool-calls=3 --cold x --json";

    (void)state;
    assert_int_equal(parse(&options, line), 0);
    assert_string_equal(options.code, "pass");
    assert_null(options.script);
    assert_int_equal(options.run_count, 2);
    assert_string_equal(options.run[0].name, "max_tool_calls");
    assert_string_equal(options.run[0].value, "3");
    assert_null(options.run[1].value);
    assert_false(options.json);
    assert_int_equal(options.arg_count, 2);
    assert_string_equal(options.args[0], "x");
    options_deinit(&options);
}

static void dashes_end_the_options(void **state)
{
    struct cli_options options;
    char with_code[] = "-c pass -- --json", with_script[] = "-- schema a", alone[] = "--";

    (void)state;
    assert_int_equal(parse(&options, with_code), 0);
    assert_false(options.json);
    assert_string_equal(options.args[0], "--json");
    options_deinit(&options);
    assert_int_equal(parse(&options, with_script), 0);
    assert_null(options.command);
    assert_string_equal(options.script, "schema");
    assert_int_equal(options.arg_count, 1);
    options_deinit(&options);
    assert_int_equal(parse(&options, alone), 0);
    assert_null(options.script);
    options_deinit(&options);
}

static void standard_input(void **state)
{
    struct cli_options options;
    char line[] = "--net=all - a";

    (void)state;
    assert_int_equal(parse(&options, line), 0);
    assert_string_equal(options.script, "-");
    assert_int_equal(options.arg_count, 1);
    options_deinit(&options);
}

static void commands(void **state)
{
    struct cli_options options;
    char after[] = "--tools none schema --format mcp", topic[] = "help schema";

    (void)state;
    assert_int_equal(parse(&options, after), 0);
    assert_string_equal(options.command, "schema");
    assert_string_equal(options.format, "mcp");
    options_deinit(&options);
    assert_int_equal(parse(&options, topic), 0);
    assert_string_equal(options.topic, "schema");
    options_deinit(&options);
}

static void underscores_are_dashes(void **state)
{
    struct cli_options options;
    char line[] = "--max_tool_calls none --log_level debug --no-namespaces -c pass";

    (void)state;
    assert_int_equal(parse(&options, line), 0);
    assert_string_equal(options.run[0].name, "max_tool_calls");
    assert_string_equal(options.run[1].name, "no_namespaces");
    assert_int_equal(options.log_level, PTC_LOG_DEBUG);
    options_deinit(&options);
}

static void mistakes(void **state)
{
    (void)state;
    refused("--timout 5 a.py", "did you mean '--timeout'");
    refused("--max-tool-call=5", "did you mean '--max-tool-calls'");
    refused("--jsn a.py", "did you mean '--json'");
    refused("--qqqqqqqq", "unknown option '--qqqqqqqq'");
    refused("--no-namespace", "unknown option"); /* hidden: never proposed */
    refused("-q", "unknown option '-q'");
    refused("--timeout", "--timeout SECONDS");
    refused("--config", "--config FILE");
    refused("-c", "-c needs the code");
    refused("--json=yes a.py", "--json takes no value");
    refused("--log-level loud a.py", "error, warning, info, debug");
    refused("schema x", "takes no argument 'x'");
    refused("--format mcp a.py", "belongs to 'ptc-host schema'");
    refused("--rounds 3 a.py", "belongs to 'ptc-host bench'");
    refused("bench --rounds 0", "1 to 1000");
    refused("bench --rounds 3x", "1 to 1000");
    refused("schema -c pass", "does not go with");
    refused("--config a --no-config b.py", "exclude each other");
}

static void json_is_known_after_a_mistake(void **state)
{
    struct cli_options options;
    char before[] = "--json --bad", after[] = "--bad --json";

    (void)state;
    assert_int_equal(parse(&options, before), -1);
    assert_true(options.json);
    options_deinit(&options);
    assert_int_equal(parse(&options, after), -1);
    assert_true(options.json);
    options_deinit(&options);
}

static void flags(void **state)
{
    char flag[80], small[6];

    (void)state;
    assert_string_equal(options_flag("max_tool_calls", flag, sizeof flag), "--max-tool-calls");
    assert_string_equal(options_flag("max_tool_calls", small, sizeof small), "--max");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_takes_the_rest),
        cmocka_unit_test(options_go_on_after_code),
        cmocka_unit_test(dashes_end_the_options),
        cmocka_unit_test(standard_input),
        cmocka_unit_test(commands),
        cmocka_unit_test(underscores_are_dashes),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(json_is_known_after_a_mistake),
        cmocka_unit_test(flags),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
