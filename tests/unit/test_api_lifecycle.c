/* SPDX-License-Identifier: MIT
 *
 * Runs that are cancelled, killed, abandoned, or many; hosts that end under them.
 */
#include "api_harness.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLEEPER "import time\nprint('begun', flush=True)\ntime.sleep(600)\n"

static ptc_run_handle *start(ptc_host *host, const ptc_settings *settings, const char *code,
                             ptc_output_fn output, void *user)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_run_handle *run;

    options.code = code;
    options.settings = settings;
    options.output = output;
    options.user = user;
    run = ptc_run_start(host, &options, &error);
    if (!run)
        fail_msg("not started: %s", error.message);
    return run;
}

static void note_output(void *user, int stream, const char *data, size_t length)
{
    (void)stream;
    (void)data;
    *(size_t *)user += length;
}

/* Dispatches until the run has printed something. */
static void wait_begun(ptc_host *host, const size_t *seen)
{
    while (!*seen) {
        usleep(1000);
        ptc_host_dispatch(host, 0);
    }
}

static void expect_status(const ptc_result *result, const char *status)
{
    if (strcmp(ptc_result_status(result), status) != 0)
        fail_msg("expected %s: %s", status, ptc_result_json(result, NULL));
}

static void *cancel_from_thread(void *run)
{
    ptc_run_cancel(run, "the \"user\" has left");
    return NULL;
}

static void e13_cancel_from_another_thread_keeps_output_and_reason(void **state)
{
    struct harness *harness = *state;
    size_t seen = 0;
    ptc_run_handle *run = start(harness->host, harness->settings, SLEEPER, note_output, &seen);
    const ptc_result *result;
    pthread_t thread;

    wait_begun(harness->host, &seen);
    pthread_create(&thread, NULL, cancel_from_thread, run);
    pthread_join(thread, NULL);
    result = harness_wait(harness->host, run);
    expect_status(result, "interrupted");
    assert_non_null(strstr(ptc_result_output(result, NULL), "begun"));
    assert_non_null(strstr(ptc_result_output(result, NULL), "user"));
    assert_non_null(strstr(ptc_result_error(result), "has left"));
    ptc_run_free(run);
}

static void cancel_before_it_began(void **state)
{
    struct harness *harness = *state;
    ptc_run_handle *run = start(harness->host, harness->settings, SLEEPER, NULL, NULL);

    ptc_run_cancel(run, NULL);
    expect_status(harness_wait(harness->host, run), "interrupted");
    ptc_run_free(run);
}

static void cancel_at_many_moments(void **state)
{
    struct harness *harness = *state;

    for (int i = 0; i < 40; i++) {
        ptc_run_handle *run =
            start(harness->host, harness->settings,
                  "import time\nfor i in range(100): print(i)\ntime.sleep(9)", NULL, NULL);

        for (int turns = 0; turns < i; turns++) {
            usleep(500);
            ptc_host_dispatch(harness->host, 0);
        }
        ptc_run_cancel(run, NULL);
        expect_status(harness_wait(harness->host, run), "interrupted");
        ptc_run_free(run);
    }
}

static void twenty_runs_at_once(void **state)
{
    struct harness *harness = *state;
    ptc_run_handle *runs[20];

    for (int i = 0; i < 20; i++) {
        char code[128];

        snprintf(code, sizeof code, "from hermes_tools import terminal\nprint(terminal('echo %d'))",
                 i);
        runs[i] = start(harness->host, harness->settings, code, NULL, NULL);
    }
    for (int i = 0; i < 20; i++) {
        const ptc_result *result = harness_wait(harness->host, runs[i]);
        char expected[64];

        expect_status(result, "success");
        snprintf(expected, sizeof expected, "'output': '%d", i);
        assert_non_null(strstr(ptc_result_output(result, NULL), expected));
        ptc_run_free(runs[i]);
    }
}

static void freed_while_it_runs(void **state)
{
    struct harness *harness = *state;
    size_t seen = 0;
    ptc_run_handle *run = start(harness->host, harness->settings, SLEEPER, note_output, &seen);
    json_t *result;

    wait_begun(harness->host, &seen);
    ptc_run_free(run);
    result = harness_run(harness, "print('next')");
    harness_expect(result, "success", "next\n");
    json_decref(result);
}

static void nothing_is_left_behind(void **state)
{
    struct harness *harness = *state;
    int fds, children;
    json_t *result = harness_run(harness, "pass"); /* the zygote stays */

    json_decref(result);
    while (ptc_host_dispatch(harness->host, 0) > 0)
        ;
    fds = harness_open_fds();
    children = harness_children();
    for (int i = 0; i < 25; i++) {
        result =
            harness_run(harness, i % 5 ? "from hermes_tools import terminal\nterminal('sleep 9 &')"
                                       : "import os; os._exit(3)");
        json_decref(result);
    }
    for (int i = 0; i < 200 && harness_open_fds() > fds; i++) {
        usleep(10000);
        ptc_host_dispatch(harness->host, 0);
    }
    assert_int_equal(harness_open_fds(), fds);
    assert_int_equal(harness_children(), children);
}

static long zygote_pid(void)
{
    char path[64];
    long zygote = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld", &zygote), 1);
    fclose(file);
    return zygote;
}

/* Nobody runs the loop between two blocking runs, so nobody has heard of it. */
static void zygote_killed_between_runs(void **state)
{
    struct harness *harness = *state;
    json_t *result = harness_run(harness, "print('first')");
    long zygote = zygote_pid();

    json_decref(result);
    kill((pid_t)zygote, SIGKILL);
    assert_true(harness_wait_gone((int)zygote, 5000));
    result = harness_run(harness, "print('next')");
    harness_expect(result, "success", "next\n");
    json_decref(result);
}

/* Without a pid namespace a script can send signals to whatever belongs to its user. */
static void script_stops_what_holds_it(void **state)
{
    struct harness *harness = *state;
    json_t *result;

    harness_set(harness, "no_namespaces", "true");
    result = harness_run(harness, "import os, signal\n"
                                  "init = os.getppid()\n"
                                  "stat = open(f'/proc/{init}/stat').read()\n"
                                  "os.kill(init, signal.SIGSTOP)\n"
                                  "os.kill(int(stat.rpartition(')')[2].split()[1]), 19)\n"
                                  "print('stopped')");
    harness_expect(result, "success", "stopped\n");
    json_decref(result);
    result = harness_run(harness, "print('next')");
    harness_expect(result, "success", "next\n");
    json_decref(result);
}

static void zygote_killed_in_mid_run(void **state)
{
    struct harness *harness = *state;
    size_t seen = 0;
    ptc_run_handle *run = start(harness->host, harness->settings, SLEEPER, note_output, &seen);
    char path[64];
    long zygote;
    FILE *file;
    json_t *result;

    wait_begun(harness->host, &seen);
    zygote = zygote_pid();
    snprintf(path, sizeof path, "/proc/%ld/fd/2", zygote);
    file = fopen(path, "w"); /* a warning of a module that it loaded; no reason for its death */
    assert_non_null(file);
    fputs("DeprecationWarning: old", file);
    fclose(file);
    kill((pid_t)zygote, SIGKILL);
    expect_status(harness_wait(harness->host, run), "error");
    assert_non_null(strstr(ptc_result_error(ptc_run_result(run)), "killed"));
    ptc_run_free(run);
    result = harness_run(harness, "print('next')");
    harness_expect(result, "success", "next\n");
    json_decref(result);
}

/* The host as a process of its own, killed: nothing of its run may live on. */
static void e19_host_killed(void **state)
{
    struct harness *harness = *state;
    char path[128];
    int script = 0;
    pid_t pid;
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/pid", harness->workspace);
    pid = fork();
    if (pid == 0) {
        ptc_host *host = harness_host(harness);

        json_decref(harness_run_on(host, harness->settings,
                                   "import os, time\nos.symlink('x', 'there')\n"
                                   "open('pid', 'w').write('begun')\ntime.sleep(600)"));
        _exit(0);
    }
    for (int i = 0; i < 500 && !file; i++) {
        usleep(10000);
        file = fopen(path, "r");
    }
    assert_non_null(file);
    fclose(file);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    file = fopen(path, "r");
    assert_int_equal(fscanf(file, "%d", &script), 1);
    fclose(file);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", script, script);
    file = fopen(path, "r");
    assert_int_equal(fscanf(file, "%d", &script), 1); /* the run's init: pid 1 of its namespace */
    fclose(file);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_true(harness_wait_gone(script, 2000));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, harness_setup, harness_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(e13_cancel_from_another_thread_keeps_output_and_reason),
        TEST(cancel_before_it_began),
        TEST(cancel_at_many_moments),
        TEST(twenty_runs_at_once),
        TEST(freed_while_it_runs),
        TEST(nothing_is_left_behind),
        TEST(zygote_killed_in_mid_run),
        TEST(zygote_killed_between_runs),
        TEST(script_stops_what_holds_it),
        TEST(e19_host_killed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
