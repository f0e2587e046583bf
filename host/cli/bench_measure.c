/* SPDX-License-Identifier: MIT
 *
 * The measurements of one round.
 */
#include "cli/bench.h"
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES_PER_ROUND 10
#define RUNS_PER_ROUND      30
#define PINGS_PER_ROUND     2000
#define PING_BYTES          64
#define PAUSE_NS            (5 * 1000 * 1000)

/* The script measures itself: what it sees is what a user's script sees. */
static const char call_script[] = "from time import perf_counter_ns as now\n"
                                  "from hermes_tools import noop\n"
                                  "for _ in range(200):\n"
                                  "    noop()\n"
                                  "samples = []\n"
                                  "for _ in range(2000):\n"
                                  "    start = now()\n"
                                  "    noop()\n"
                                  "    samples.append(now() - start)\n"
                                  "print(*samples)\n";

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int fail(const struct bench *bench, const char *what, const char *why)
{
    char message[1200];

    snprintf(message, sizeof message, "bench: %s: %s", what, why);
    return output_fail(bench->session.options, 1, message);
}

/* A request comes when the last one is over and forgotten: what a process leaves to clear away is
 * throughput, not latency. The same pause goes before every process of the other rows. */
static void pause_between(void)
{
    const struct timespec pause = {0, PAUSE_NS};

    nanosleep(&pause, NULL);
}

static int time_process(struct bench *bench, enum bench_kind kind, const char *path,
                        const char *const *argv)
{
    pid_t pid;
    int status;

    pause_between();
    double start = now_seconds();
    int r = bench_spawn(path, argv, -1, &pid);

    if (r < 0)
        return fail(bench, path, strerror(-r));
    if (waitpid(pid, &status, 0) < 0)
        return fail(bench, path, strerror(errno));
    double seconds = now_seconds() - start;
    if (status != 0)
        return fail(bench, path, "it did not end with success");
    return series_add(&bench->series[kind], seconds) < 0 ? fail(bench, path, "no memory") : 0;
}

int bench_processes(struct bench *bench)
{
    const char *python_argv[] = {"python3", "-I", "-S", "-c", "pass", NULL};
    int r = 0;

    for (int i = 0; r == 0 && i < PROCESSES_PER_ROUND; i++) {
        r = time_process(bench, BENCH_PYTHON, bench->python, python_argv);
        if (r == 0)
            r = time_process(bench, BENCH_COLD, bench->self, (const char *const *)bench->cold_argv);
    }
    return r;
}

static ptc_result *run_code(struct bench *bench, const char *code, int *ret_exit_code)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct ptc_run_options run = PTC_RUN_OPTIONS_INIT;

    run.code = code;
    run.settings = bench->session.settings;
    ptc_result *result = ptc_run(bench->session.host, &run, &error);
    if (!result) {
        *ret_exit_code = session_fail(&bench->session, &error);
        return NULL;
    }
    if (strcmp(ptc_result_status(result), "success") == 0)
        return result;
    const char *why = ptc_result_error(result);
    *ret_exit_code = fail(bench, "a run failed", why ? why : ptc_result_status(result));
    ptc_result_free(result);
    return NULL;
}

/* The first run of a host waits for its interpreter: that is no warm run. */
int bench_warm_up(struct bench *bench)
{
    int exit_code = 0;

    for (int i = 0; exit_code == 0 && i < 3; i++)
        ptc_result_free(run_code(bench, "pass", &exit_code));
    return exit_code;
}

int bench_warm(struct bench *bench)
{
    int exit_code = 0;

    for (int i = 0; exit_code == 0 && i < RUNS_PER_ROUND; i++) {
        pause_between();
        double start = now_seconds();
        ptc_result *result = run_code(bench, "pass", &exit_code);
        double seconds = now_seconds() - start;
        ptc_result_free(result);
        if (result && series_add(&bench->series[BENCH_WARM], seconds) < 0)
            exit_code = fail(bench, "a warm run", "no memory");
    }
    return exit_code;
}

static int ping(int socket, char *bytes)
{
    if (write(socket, bytes, PING_BYTES) != PING_BYTES)
        return -1;
    for (size_t got = 0; got < PING_BYTES;) {
        ssize_t n = read(socket, bytes + got, PING_BYTES - got);
        if (n <= 0)
            return -1;
        got += (size_t)n;
    }
    return 0;
}

int bench_pingpong(struct bench *bench)
{
    char bytes[PING_BYTES] = {0};

    for (int i = 0; i < PINGS_PER_ROUND; i++) {
        double start = now_seconds();
        if (ping(bench->echo_socket, bytes) < 0)
            return fail(bench, "the ping-pong process", "it does not answer");
        if (series_add(&bench->series[BENCH_PINGPONG], now_seconds() - start) < 0)
            return fail(bench, "the ping-pong", "no memory");
    }
    return 0;
}

static int add_samples(struct bench *bench, const char *text)
{
    size_t count = 0;
    char *end;

    for (;; text = end, count++) {
        double ns = strtod(text, &end);
        if (end == text)
            break;
        if (series_add(&bench->series[BENCH_CALL], ns / 1e9) < 0)
            return fail(bench, "the tool calls", "no memory");
    }
    return count ? 0 : fail(bench, "the tool calls", "the script printed no samples");
}

int bench_calls(struct bench *bench)
{
    int exit_code = 0;
    ptc_result *result = run_code(bench, call_script, &exit_code);

    if (result)
        exit_code = add_samples(bench, ptc_result_output(result, NULL));
    ptc_result_free(result);
    return exit_code;
}
