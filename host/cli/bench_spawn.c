/* SPDX-License-Identifier: MIT
 *
 * The other programs of a benchmark. posix_spawn, never fork: the memory of this process would be
 * in the way of what is measured.
 */
#include "cli/bench.h"
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void default_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, pipe;

    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &pipe);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

int bench_spawn(const char *path, const char *const *argv, int stdin_fd, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    default_signals(&attributes);
    if (stdin_fd >= 0)
        posix_spawn_file_actions_adddup2(&actions, stdin_fd, STDIN_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    int r = posix_spawn(ret_pid, path, &actions, &attributes, (char *const *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return -r;
}

static char *option_word(const struct cli_run_option *option)
{
    char flag[80], *word = NULL;

    options_flag(option->name, flag, sizeof flag);
    int length =
        option->value ? asprintf(&word, "%s=%s", flag, option->value) : asprintf(&word, "%s", flag);
    return length < 0 ? NULL : word;
}

static char *file_word(const char *flag, const char *path)
{
    char *word = NULL;

    return asprintf(&word, "%s%s", flag, path) < 0 ? NULL : word;
}

/* The same options as this process got, so that cold and warm are runs of the same kind. */
int bench_cold_argv(struct bench *bench)
{
    const struct cli_options *options = bench->session.options;
    char **words = calloc(options->run_count + 8, sizeof *words);
    size_t count = 0;

    bench->cold_argv = words;
    if (!words)
        return -ENOMEM;
    words[count++] = strdup("ptc-host");
    if (options->config)
        words[count++] = file_word("--config=", options->config);
    else if (options->no_config)
        words[count++] = strdup("--no-config");
    if (*bench->workspace)
        words[count++] = file_word("--workspace=", bench->workspace);
    for (size_t i = 0; i < options->run_count; i++)
        words[count++] = option_word(&options->run[i]);
    words[count++] = strdup("-c");
    words[count++] = strdup("pass");
    for (size_t i = 0; i < count; i++)
        if (!words[i])
            return -ENOMEM;
    return 0;
}

int bench_echo_start(struct bench *bench)
{
    const char *argv[] = {"ptc-host", "bench-echo", NULL};
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    int r = bench_spawn(bench->self, argv, pair[1], &bench->echo_pid);
    close(pair[1]);
    bench->echo_socket = pair[0];
    return r;
}

void bench_echo_stop(struct bench *bench)
{
    if (bench->echo_socket >= 0)
        close(bench->echo_socket); /* the end of file ends it */
    if (bench->echo_pid > 0)
        waitpid(bench->echo_pid, NULL, 0);
    bench->echo_socket = -1;
    bench->echo_pid = 0;
}
