/* SPDX-License-Identifier: MIT
 *
 * One tool call without a script, and the places where runs work: sessions, open directories.
 */
#include "api_harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static ptc_result *call(struct harness *harness, const char *tool, const char *args)
{
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_result *result = ptc_tool_call(harness->host, harness->settings, tool, args, &error);

    if (!result)
        fail_msg("%s: %s", tool, error.message);
    return result;
}

static void local_tools(void **state)
{
    ptc_result *result = call(*state, "write_file", "{\"path\": \"a.txt\", \"content\": \"x\\n\"}");

    assert_string_equal(ptc_result_status(result), "success");
    assert_non_null(strstr(ptc_result_value_json(result, NULL), "\"bytes_written\":2"));
    ptc_result_free(result);
    result = call(*state, "terminal", "{\"command\": \"cat a.txt; pwd\"}");
    assert_non_null(strstr(ptc_result_value_json(result, NULL), "\"output\":\"x\\n/tmp/ptc-test-"));
    assert_int_equal(ptc_result_tool_calls(result), 1);
    ptc_result_free(result);
    result = call(*state, "read_file", "{\"path\": \"missing\"}");
    assert_string_equal(ptc_result_status(result), "error");
    assert_string_equal(ptc_result_error(result), "File not found: missing");
    assert_int_equal(ptc_result_exit_code(result), 1);
    ptc_result_free(result);
}

static void answer(ptc_call *call_, void *user)
{
    (void)user;
    ptc_call_reply(call_, "[1, 2]", 6);
}

static void own_tools_need_no_process(void **state)
{
    struct harness *harness = *state;
    int children = harness_children();
    ptc_result *result;

    harness_add_tool(harness->host, "mine", "", answer, NULL);
    result = call(harness, "mine", NULL);
    assert_string_equal(ptc_result_value_json(result, NULL), "[1,2]");
    assert_int_equal(harness_children(), children);
    ptc_result_free(result);
}

static void what_is_refused(void **state)
{
    static const struct {
        const char *tool, *args, *words;
    } rows[] = {
        {"read_fil", "{}", "read_file"},
        {"read_file", "{", "arguments of read_file"},
        {"read_file", "[]", "must be a JSON object"},
    };
    struct harness *harness = *state;
    ptc_result *result;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ptc_error error = PTC_ERROR_INIT;

        assert_null(
            ptc_tool_call(harness->host, harness->settings, rows[i].tool, rows[i].args, &error));
        assert_int_equal(error.code, PTC_E_INVALID);
        assert_non_null(strstr(error.message, rows[i].words));
    }
    result = call(harness, "read_file", "{}");
    assert_string_equal(ptc_result_status(result), "error");
    assert_non_null(strstr(ptc_result_error(result), "path"));
    ptc_result_free(result);
    harness_set(harness, "max_tool_calls", "none");
    result = call(harness, "read_file", "{\"path\": \"x\"}");
    assert_non_null(strstr(ptc_result_error(result), "limit reached"));
    ptc_result_free(result);
}

static void a_call_times_out(void **state)
{
    ptc_result *result;

    harness_set(*state, "timeout", "0.4");
    result = call(*state, "terminal", "{\"command\": \"sleep 60\"}");
    assert_string_equal(ptc_result_status(result), "timeout");
    ptc_result_free(result);
}

/* ---- places ---- */

static void sessions_keep_their_folder(void **state)
{
    struct harness *harness = *state;
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    ptc_settings *settings = ptc_settings_new(NULL);
    char base[128], path[160];
    struct stat st;
    ptc_host *host;
    json_t *result;

    snprintf(base, sizeof base, "%s/state/sessions", harness->workspace);
    options.child_path = PTC_TEST_CHILD;
    options.sessions_dir = base;
    host = ptc_host_new(&options, NULL);
    assert_int_equal(ptc_settings_set(settings, "session", "one", NULL), 0);
    result = harness_run_on(host, settings, "open('kept', 'w').write('x')");
    harness_expect(result, "success", "");
    json_decref(result);
    result = harness_run_on(host, settings, "import os; print(os.listdir())");
    harness_expect(result, "success", "['kept']\n");
    json_decref(result);
    snprintf(path, sizeof path, "%s/one", base);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    ptc_settings_free(settings);
    ptc_host_free(host);
}

static void session_names_are_safe(void **state)
{
    static const char *const names[] = {"..", ".x", "a/b", "", "a b", "x\n", "é"};
    struct harness *harness = *state;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
        struct ptc_error error = PTC_ERROR_INIT;
        ptc_settings *settings = ptc_settings_new(NULL);

        options.code = "pass";
        options.settings = settings;
        if (ptc_settings_set(settings, "session", names[i], &error) == 0)
            assert_null(ptc_run(harness->host, &options, &error));
        assert_int_equal(error.code, PTC_E_INVALID);
        ptc_settings_free(settings);
    }
}

static void a_session_behind_a_symlink_is_refused(void **state)
{
    struct harness *harness = *state;
    struct ptc_host_options host_options = PTC_HOST_OPTIONS_INIT;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_settings *settings = ptc_settings_new(NULL);
    char path[160];
    ptc_host *host;

    snprintf(path, sizeof path, "%s/evil", harness->workspace);
    assert_int_equal(symlink("/tmp", path), 0);
    host_options.child_path = PTC_TEST_CHILD;
    host_options.sessions_dir = harness->workspace;
    host = ptc_host_new(&host_options, NULL);
    ptc_settings_set(settings, "session", "evil", NULL);
    options.code = "pass";
    options.settings = settings;
    assert_null(ptc_run(host, &options, &error));
    assert_non_null(strstr(error.message, "evil"));
    ptc_settings_free(settings);
    ptc_host_free(host);
}

static void workspace_by_fd(void **state)
{
    struct harness *harness = *state;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    char path[128];
    ptc_result *result;

    snprintf(path, sizeof path, "%s/inner", harness->workspace);
    assert_int_equal(mkdir(path, 0755), 0);
    options.code = "import os; print(os.getcwd())";
    options.workspace_fd = open(path, O_RDONLY | O_DIRECTORY);
    result = ptc_run(harness->host, &options, NULL);
    close(options.workspace_fd);
    strcat(path, "\n");
    assert_string_equal(ptc_result_output(result, NULL), path);
    ptc_result_free(result);
}

static void f25_every_run_starts_in_its_own_folder(void **state)
{
    struct harness *harness = *state;
    json_t *result = harness_run(harness, "import os; os.chdir('/')");
    char expected[80];

    json_decref(result);
    result = harness_run(harness, "import os; print(os.getcwd())");
    snprintf(expected, sizeof expected, "%s\n", harness->workspace);
    harness_expect(result, "success", expected);
    json_decref(result);
}

/* ---- what a host tells of itself ---- */

static void stats_and_features(void **state)
{
    struct harness *harness = *state;
    char *text;
    json_t *json;

    json_decref(harness_run(harness, "from hermes_tools import read_file\nread_file('x')"));
    text = ptc_host_stats_json(harness->host);
    json = json_loads(text, 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(json, "runs_started")), 1);
    assert_int_equal(json_integer_value(json_object_get(json, "runs_active")), 0);
    assert_int_equal(json_integer_value(json_object_get(json, "calls_made")), 1);
    json_decref(json);
    ptc_free(text);
    text = ptc_features_json();
    json = json_loads(text, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(json, "version")), ptc_version());
    assert_true(json_is_integer(json_object_get(json, "landlock_abi")));
    json_decref(json);
    ptc_free(text);
}

/* An embedder forks: the child's copy of the host must not touch the parent's runs. */
static void a_forked_child_cannot_use_the_host(void **state)
{
    struct harness *harness = *state;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    int status = -1;
    json_t *result;
    pid_t pid;

    json_decref(harness_run(harness, "pass"));
    pid = fork();
    if (pid == 0) {
        struct ptc_error error = PTC_ERROR_INIT;
        bool refused;

        options.code = "pass";
        refused = !ptc_run_start(harness->host, &options, &error) && error.code == PTC_E_STATE &&
                  ptc_host_dispatch(harness->host, 0) == PTC_E_STATE;
        ptc_host_free(harness->host);
        _exit(refused ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    result = harness_run(harness, "print('alive')");
    harness_expect(result, "success", "alive\n");
    json_decref(result);
}

/* Its copies share the parent's epoll and name the parent's processes. */
static void a_forked_child_frees_a_run_of_its_parent(void **state)
{
    struct harness *harness = *state;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    const ptc_result *result;
    ptc_run_handle *run;
    pid_t pid;

    harness_set(harness, "timeout", "5");
    options.code = "import time\ntime.sleep(0.3)\nprint('end')";
    options.settings = harness->settings;
    run = ptc_run_start(harness->host, &options, NULL);
    assert_non_null(run);
    for (int i = 0; i < 10; i++) {
        ptc_host_dispatch(harness->host, 0);
        usleep(10000);
    }
    pid = fork();
    if (pid == 0) {
        ptc_run_free(run);
        ptc_host_free(harness->host);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    result = harness_wait(harness->host, run);
    assert_string_equal(ptc_result_status(result), "success");
    assert_string_equal(ptc_result_output(result, NULL), "end\n");
    ptc_run_free(run);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, harness_setup, harness_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(local_tools),
        TEST(own_tools_need_no_process),
        TEST(what_is_refused),
        TEST(a_call_times_out),
        TEST(sessions_keep_their_folder),
        TEST(session_names_are_safe),
        TEST(a_session_behind_a_symlink_is_refused),
        TEST(workspace_by_fd),
        TEST(f25_every_run_starts_in_its_own_folder),
        TEST(stats_and_features),
        TEST(a_forked_child_cannot_use_the_host),
        TEST(a_forked_child_frees_a_run_of_its_parent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
