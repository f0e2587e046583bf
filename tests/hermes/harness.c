/* SPDX-License-Identifier: MIT
 *
 * hermes_harness --ping-pong
 * hermes_harness [--preload] [--in-flight N] [--tools LIST] SCRIPT [ARGS]: an embedded Python with
 * hermes_tools built in, and a fake host in another process at the other end of the channel. The
 * exit status is the script's; a host that saw the protocol broken makes it 9.
 */
#include "fake_host.h"

#include "hermes/channel.h"
#include "hermes/hermes.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

struct options {
    const char *tools;
    unsigned in_flight;
    int preload, no_channel;
    char **script; /* and its arguments */
};

static const char *const extra_specs[] = {
    "{\"name\":\"host\",\"description\":\"Makes the fake host misbehave.\",\"parameters\":"
    "{\"type\":\"object\",\"properties\":{\"mode\":{\"type\":\"string\"},\"n\":{\"type\":"
    "\"integer\"},\"value\":{}},\"required\":[\"mode\"],\"additionalProperties\":true},"
    "\"flags\":[\"returns_errors\"]}",
    "{\"name\":\"raiser\",\"description\":\"Answers with value.\",\"parameters\":{\"type\":"
    "\"object\",\"properties\":{\"value\":{}},\"required\":[\"value\"],"
    "\"additionalProperties\":false}}",
    "{\"name\":\"create-issue\",\"description\":\"Odd names.\",\"parameters\":{\"type\":"
    "\"object\",\"properties\":{\"from\":{\"type\":\"string\"},\"a-b\":{\"type\":\"integer\"}},"
    "\"required\":[\"from\"],\"additionalProperties\":false},\"flags\":[\"returns_errors\"]}",
};

static int tools_load(struct toolset *extra, struct toolset *tools, const char *list)
{
    struct err err = ERR_INIT;

    for (size_t i = 0; i < sizeof(extra_specs) / sizeof(extra_specs[0]); i++) {
        json_t *json = json_parse(extra_specs[i], strlen(extra_specs[i]), 64, &err);
        struct tool_spec *spec = json ? spec_from_json(json, &err) : NULL;
        json_decref(json);
        if (!spec || toolset_add(extra, spec) < 0)
            break;
    }
    if (err.code == 0 && toolset_select(tools, list, extra, &err) == 0)
        return 0;
    fprintf(stderr, "harness: %s\n", err.text);
    return -1;
}

static void tools_free(struct toolset *extra, struct toolset *tools)
{
    toolset_deinit(tools);
    for (size_t i = 0; i < extra->count; i++)
        spec_free((struct tool_spec *)extra->specs[i]);
    toolset_deinit(extra);
}

static pid_t host_start(int *ret_fd)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        _exit(fake_host_serve(pair[1]));
    }
    close(pair[1]);
    *ret_fd = pair[0];
    return pid;
}

static int python_start(char **argv)
{
    PyPreConfig preconfig;
    PyConfig config;
    int argc = 0;

    while (argv[argc])
        argc++;
    PyImport_AppendInittab("hermes_tools", hermes_module_init);
    PyPreConfig_InitIsolatedConfig(&preconfig);
    preconfig.utf8_mode = 1;
    if (PyStatus_Exception(Py_PreInitialize(&preconfig)))
        return -1;
    PyConfig_InitIsolatedConfig(&config);
    config.install_signal_handlers = 1;
    config.buffered_stdio = 0;
    PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, "/usr/bin/python3.11");
    if (!PyStatus_Exception(status))
        status = PyConfig_SetBytesArgv(&config, argc, argv);
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    return PyStatus_Exception(status) ? -1 : 0;
}

static bool run_receive(struct hermes_channel *channel)
{
    char *head, *body;
    size_t head_length, body_length;

    if (hermes_channel_receive_run(channel, &head, &head_length, &body, &body_length) < 0)
        return false;
    bool good = strcmp(head, "{\"bodies\":[[4,\"code\"]]}") == 0 && strcmp(body, "code") == 0 &&
                head_length == strlen(head) && body_length == 4;
    free(head);
    free(body);
    return good;
}

static int script_run(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return 2;
    }
    if (PyRun_SimpleFileExFlags(file, path, 1, NULL) == 0)
        return 0;
    return 1;
}

static int host_status(pid_t pid)
{
    int status;
    if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
        return 1;
    return WEXITSTATUS(status);
}

/* What two processes need at least for one question and one answer, with the sizes of bench.py. */
static double ping_pong_us(int fd, int rounds)
{
    char head[44] = {0}, header[24] = {0}, answer[4096];
    uint64_t start = clock_now_ns();

    for (int i = 0; i < rounds; i++) {
        struct iovec parts[] = {{header, sizeof(header)}, {head, sizeof(head)}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        if (sendmsg(fd, &message, MSG_NOSIGNAL) < 0 || recv(fd, answer, sizeof(answer), 0) <= 0)
            return 0;
    }
    return (double)(clock_now_ns() - start) / rounds / 1000;
}

static int ping_pong(void)
{
    char question[4096], answer[76] = {0};
    int pair[2];
    double best = 1e9;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return 2;
    if (fork() == 0) {
        close(pair[0]);
        while (recv(pair[1], question, sizeof(question), 0) > 0)
            send(pair[1], answer, sizeof(answer), 0);
        _exit(0);
    }
    for (int i = 0; i < 7; i++) {
        double us = ping_pong_us(pair[0], 5000);
        best = us < best ? us : best;
    }
    printf("ping-pong %.2f us\n", best);
    return 0;
}

static int options_parse(struct options *options, int argc, char **argv)
{
    static const struct option table[] = {
        {"preload", no_argument, NULL, 'p'},
        {"in-flight", required_argument, NULL, 'i'},
        {"tools", required_argument, NULL, 't'},
        {"no-channel", no_argument, NULL, 'n'},
        {NULL, 0, NULL, 0},
    };
    int c;

    *options = (struct options){.tools = "all", .in_flight = 64};
    while ((c = getopt_long(argc, argv, "+", table, NULL)) != -1) {
        if (c == 'p')
            options->preload = 1;
        else if (c == 'n')
            options->no_channel = 1;
        else if (c == 'i')
            options->in_flight = (unsigned)atoi(optarg);
        else if (c == 't')
            options->tools = optarg;
        else
            return -1;
    }
    options->script = argv + optind;
    return options->script[0] ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct toolset extra = {NULL, 0}, tools = {NULL, 0};
    struct options options;
    int fd = -1;

    if (argc == 2 && strcmp(argv[1], "--ping-pong") == 0)
        return ping_pong();
    if (options_parse(&options, argc, argv) < 0 || tools_load(&extra, &tools, options.tools) < 0)
        return 2;
    pid_t host = host_start(&fd);
    struct hermes_channel *channel = hermes_channel_new(fd, options.in_flight);
    if (host < 0 || !channel || !run_receive(channel) || python_start(options.script) < 0)
        return 2;
    struct hermes_session session = {.channel = options.no_channel ? NULL : channel,
                                     .tools = &tools};
    if (options.preload && !PyImport_ImportModule("hermes_tools"))
        PyErr_Print();
    if (hermes_session_begin(&session) < 0) {
        PyErr_Print();
        return 2;
    }
    int r = script_run(options.script[0]);
    if (Py_FinalizeEx() < 0)
        r = 2;
    hermes_channel_send_done(channel, r, 0);
    shutdown(fd, SHUT_RDWR); /* daemon threads may still wait on it */
    int host_r = host_status(host);
    tools_free(&extra, &tools);
    return r ? r : host_r == 0 || host_r == 3 ? 0 : 9;
}
