/* SPDX-License-Identifier: MIT
 *
 * No surprise in the host process: what the library must not touch, need, or bring along.
 */
#include "api_harness.h"

#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int find_library(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    return strstr(info->dlpi_name, user) != NULL;
}

static void no_python_and_no_curl_in_the_host(void **state)
{
    struct harness *harness = *state;
    json_t *result = harness_run(harness, "print(1)");

    harness_expect(result, "success", "1\n");
    json_decref(result);
    assert_false(dl_iterate_phdr(find_library, (void *)"libpython"));
    assert_false(dl_iterate_phdr(find_library, (void *)"libcurl"));
    assert_true(dl_iterate_phdr(find_library, (void *)"libptchost"));
}

static void works_when_sigchld_is_ignored(void **state)
{
    struct harness *harness = *state;
    json_t *result;

    signal(SIGCHLD, SIG_IGN);
    result = harness_run(harness, "import sys; print(1); sys.exit(3)");
    assert_int_equal(json_integer_value(json_object_get(result, "exit_code")), 3);
    json_decref(result);
    ptc_host_free(harness->host);
    harness->host = harness_host(harness);
    signal(SIGCHLD, SIG_DFL);
}

static void *reap_everything(void *stop)
{
    while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
        waitpid(-1, NULL, WNOHANG);
        usleep(200);
    }
    return NULL;
}

static void works_when_the_host_reaps_everything(void **state)
{
    struct harness *harness = *state;
    int stop = 0;
    pthread_t thread;

    pthread_create(&thread, NULL, reap_everything, &stop);
    for (int i = 0; i < 3; i++) {
        ptc_host *host = harness_host(harness);
        json_t *result =
            harness_run_on(host, harness->settings, "print(1); import os; os._exit(4)");

        assert_int_equal(json_integer_value(json_object_get(result, "exit_code")), 4);
        json_decref(result);
        ptc_host_free(host);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

static void leaves_the_process_alone(void **state)
{
    struct harness *harness = *state;
    struct sigaction before[NSIG], after;
    char cwd[2][4096];
    mode_t mask = umask(027);
    sigset_t masks[2];
    json_t *result;

    assert_non_null(getcwd(cwd[0], sizeof cwd[0]));
    setenv("PTC_TEST_MARK", "here", 1);
    pthread_sigmask(SIG_SETMASK, NULL, &masks[0]);
    for (int sig = 1; sig < NSIG; sig++)
        sigaction(sig, NULL, &before[sig]);
    result = harness_run(
        harness, "import os\nos.chdir('/')\nos.umask(0)\nprint('PTC_TEST_MARK' in os.environ)");
    harness_expect(result, "success", "False\n");
    json_decref(result);
    for (int sig = 1; sig < NSIG; sig++) {
        memset(&after, 0, sizeof after);
        if (sigaction(sig, NULL, &after) == 0)
            assert_ptr_equal(after.sa_handler, before[sig].sa_handler);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &masks[1]);
    assert_memory_equal(&masks[0], &masks[1], sizeof masks[0]);
    assert_non_null(getcwd(cwd[1], sizeof cwd[1]));
    assert_string_equal(cwd[0], cwd[1]);
    assert_int_equal(umask(mask), 027);
    assert_string_equal(setlocale(LC_ALL, NULL), "C");
}

static void two_hosts_know_nothing_of_each_other(void **state)
{
    struct harness *harness = *state;
    ptc_host *other = harness_host(harness);
    json_t *result = harness_run_on(other, harness->settings, "print(2)");

    harness_expect(result, "success", "2\n");
    json_decref(result);
    ptc_host_free(other);
    result = harness_run(harness, "print(1)");
    harness_expect(result, "success", "1\n");
    json_decref(result);
}

static void struct_of_an_older_caller(void **state)
{
    struct harness *harness = *state;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_result *result;

    options.code = "import os; print(os.getcwd())";
    options.struct_size = offsetof(struct ptc_run_options, path); /* ends after code_length */
    options.path = (const char *)1;                               /* must not be read */
    result = ptc_run(harness->host, &options, NULL);
    assert_non_null(result);
    assert_string_equal(ptc_result_status(result), "success");
    ptc_result_free(result);
}

static void bad_requests(void **state)
{
    static const char *const paths[] = {"/nonexistent/x.py", "/", "/dev/null"};
    struct harness *harness = *state;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct ptc_error error = PTC_ERROR_INIT;

        options.path = paths[i];
        assert_null(ptc_run(harness->host, &options, &error));
        assert_true(error.code < 0);
        assert_non_null(strstr(error.message, paths[i]));
    }
    options.code = "pass"; /* and a path */
    assert_null(ptc_run(harness->host, &options, NULL));
    options.path = NULL;
    options.code = "print('\xff')";
    assert_null(ptc_run(harness->host, &options, NULL));
}

static void child_that_cannot_be_found(void **state)
{
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;

    (void)state;
    options.child_path = "/nonexistent/ptc-child";
    assert_null(ptc_host_new(&options, &error));
    assert_non_null(strstr(error.message, "/nonexistent/ptc-child"));
}

static void child_that_is_another_program(void **state)
{
    struct harness *harness = *state;
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    ptc_host *host;
    json_t *result;

    options.child_path = "/bin/true";
    host = ptc_host_new(&options, NULL);
    assert_non_null(host);
    result = harness_run_on(host, harness->settings, "print(1)");
    assert_string_not_equal(harness_text(result, "status"), "success");
    assert_string_equal(harness_text(result, "output"), "");
    json_decref(result);
    ptc_host_free(host);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, harness_setup, harness_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_python_and_no_curl_in_the_host),
        TEST(works_when_sigchld_is_ignored),
        TEST(works_when_the_host_reaps_everything),
        TEST(leaves_the_process_alone),
        TEST(two_hosts_know_nothing_of_each_other),
        TEST(struct_of_an_older_caller),
        TEST(bad_requests),
        TEST(child_that_cannot_be_found),
        TEST(child_that_is_another_program),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
