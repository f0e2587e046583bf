/* SPDX-License-Identifier: MIT
 *
 * ptc-host bench: sets up, measures in interleaved rounds, reports.
 */
#include "cli/bench.h"
#include "cli/commands.h"
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS_DEFAULT 5

static void noop_tool(ptc_call *call, void *user)
{
    (void)user;
    ptc_call_reply(call, "{}", 2);
}

static int fail_errno(const struct bench *bench, const char *what, int error)
{
    char message[300];

    snprintf(message, sizeof message, "bench: %s: %s", what, strerror(error));
    return output_fail(bench->session.options, 1, message);
}

static bool was_given(const struct cli_options *options, const char *name)
{
    for (size_t i = 0; i < options->run_count; i++)
        if (strcmp(options->run[i].name, name) == 0)
            return true;
    return false;
}

/* An empty folder of our own: the current one may be refused, or full. */
static int make_workspace(struct bench *bench)
{
    if (was_given(bench->session.options, "workspace"))
        return 0;
    strcpy(bench->workspace, "/tmp/ptc-bench-XXXXXX");
    if (mkdtemp(bench->workspace))
        return 0;
    *bench->workspace = '\0';
    return fail_errno(bench, "cannot make a folder in /tmp", errno);
}

/* What the measurement needs, whatever the options say. */
static int adjust_settings(struct bench *bench)
{
    const char *forced[][2] = {{"cold", "false"},
                               {"tools", "all"},
                               {"max_tool_calls", "unlimited"},
                               {"max_output", "0"},
                               {"workspace", bench->workspace}};
    struct ptc_error error = PTC_ERROR_INIT;

    for (size_t i = 0; i < sizeof forced / sizeof forced[0]; i++)
        if (*forced[i][1] &&
            ptc_settings_set(bench->session.settings, forced[i][0], forced[i][1], &error) < 0)
            return session_fail(&bench->session, &error);
    return 0;
}

static int find_programs(struct bench *bench)
{
    const char *chosen = bench->session.options->python;
    ssize_t length = readlink("/proc/self/exe", bench->self, sizeof bench->self - 1);

    bench->python = chosen ? chosen : PTC_PYTHON_EXECUTABLE;
    if (length < 0)
        return fail_errno(bench, "/proc/self/exe", errno);
    if (access(bench->python, X_OK) < 0)
        return fail_errno(bench, bench->python, errno);
    return 0;
}

static int open_host(struct bench *bench)
{
    static const char spec[] = "{\"name\":\"noop\",\"description\":\"Does nothing.\","
                               "\"parameters\":{\"type\":\"object\",\"properties\":{}},"
                               "\"flags\":[\"read_only\",\"parallel_safe\"]}";
    struct ptc_error error = PTC_ERROR_INIT;
    int exit_code = session_open_host(&bench->session);

    if (exit_code == 0 &&
        ptc_host_add_tool(bench->session.host, spec, noop_tool, NULL, NULL, &error) < 0)
        exit_code = session_fail(&bench->session, &error);
    return exit_code;
}

static int set_up(struct bench *bench)
{
    int exit_code = find_programs(bench);

    if (exit_code == 0)
        exit_code = make_workspace(bench);
    if (exit_code == 0)
        exit_code = adjust_settings(bench);
    if (exit_code == 0 && bench_cold_argv(bench) < 0)
        exit_code = fail_errno(bench, "the command line", ENOMEM);
    int r = exit_code == 0 ? bench_echo_start(bench) : 0;
    if (r < 0)
        exit_code = fail_errno(bench, "cannot start the ping-pong process", -r);
    if (exit_code == 0)
        exit_code = open_host(bench);
    return exit_code == 0 ? bench_warm_up(bench) : exit_code;
}

static int measure_round(struct bench *bench)
{
    static int (*const measurements[])(struct bench *) = {bench_processes, bench_warm,
                                                          bench_pingpong, bench_calls};
    int exit_code = 0;

    for (size_t i = 0; exit_code == 0 && i < sizeof measurements / sizeof measurements[0]; i++)
        exit_code = measurements[i](bench);
    for (int kind = 0; exit_code == 0 && kind < BENCH_KINDS; kind++)
        if (series_end_round(&bench->series[kind]) < 0)
            exit_code = fail_errno(bench, "the samples", ENOMEM);
    return exit_code;
}

static int measure(struct bench *bench)
{
    long given = bench->session.options->rounds, rounds = given ? given : ROUNDS_DEFAULT;
    bool show = isatty(STDERR_FILENO);
    int exit_code = 0;

    for (long round = 1; exit_code == 0 && round <= rounds; round++) {
        if (show)
            fprintf(stderr, "\rround %ld of %ld ", round, rounds);
        exit_code = measure_round(bench);
    }
    if (show)
        fputs("\r\033[K", stderr);
    return exit_code;
}

static void tear_down(struct bench *bench)
{
    bench_echo_stop(bench);
    session_deinit(&bench->session);
    for (int kind = 0; kind < BENCH_KINDS; kind++)
        series_deinit(&bench->series[kind]);
    for (size_t i = 0; bench->cold_argv && bench->cold_argv[i]; i++)
        free(bench->cold_argv[i]);
    free(bench->cold_argv);
    if (*bench->workspace)
        rmdir(bench->workspace);
}

int cmd_bench(const struct cli_options *options)
{
    struct bench bench = {.echo_socket = -1};
    int exit_code = session_init(&bench.session, options);

    if (exit_code == 0)
        exit_code = set_up(&bench);
    if (exit_code == 0)
        exit_code = measure(&bench);
    if (exit_code == 0 && options->json)
        exit_code = bench_print_json(&bench);
    else if (exit_code == 0)
        bench_print_table(&bench);
    tear_down(&bench);
    return exit_code;
}

/* The process on the other side of the ping-pong: its standard input is the socket. */
int cmd_bench_echo(const struct cli_options *options)
{
    char bytes[64];
    ssize_t n;

    (void)options;
    while ((n = read(STDIN_FILENO, bytes, sizeof bytes)) > 0)
        if (output_write(STDIN_FILENO, bytes, (size_t)n) < 0)
            break;
    return 0;
}
