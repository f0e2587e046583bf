/* SPDX-License-Identifier: MIT
 *
 * The tool terminal: one bash per call, with the directory and the exported variables that the call
 * before left. No text guards: what a command may do is the kernel's business.
 */
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "text/ansi.h"
#include "tools/args.h"
#include "tools/exit_meaning.h"
#include "tools/handlers.h"
#include "tools/path.h"
#include "tools/path_rules.h"
#include "tools/shell_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TIMEOUT_DEFAULT_S 180
#define TIMEOUT_MAX_S     600
#define EXIT_NOT_RUN      (-1)
#define EXIT_BAD_WORKDIR  126
#define EXIT_TIMED_OUT    124
#define EXIT_CANCELLED    130

struct terminal {
    struct tool_call *call;
    const char *command;
    const char *workdir; /* NULL: where the last call left off */
    long long timeout_s;
    bool merge_stderr;
    struct shell_snapshot snapshot;
    struct path directory; /* where it starts */
    int directory_fd;
    uint64_t start_ns;
    bool run_limit; /* the deadline of the run comes before the call's own */
    struct shell_outcome outcome;
    struct buf warning;
};

static void terminal_deinit(struct terminal *terminal)
{
    shell_snapshot_deinit(&terminal->snapshot);
    free(terminal->directory.real);
    fd_close(terminal->directory_fd);
    shell_outcome_deinit(&terminal->outcome);
    buf_deinit(&terminal->warning);
}

/* The shape of a result for a command that was not run. */
static json_t *not_run(int exit_code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static json_t *not_run(int exit_code, const char *format, ...)
{
    _cleanup_buf_ struct buf text = BUF_INIT(16384);
    va_list args;

    va_start(args, format);
    buf_append_vformat(&text, format, args);
    va_end(args);
    return json_pack("{s:s, s:i, s:o?, s:s}", "output", "", "exit_code", exit_code, "error",
                     json_text(text.data != NULL ? (const char *)text.data : "", text.length),
                     "status", "error");
}

static json_t *parse_command(struct terminal *terminal, const json_t *args)
{
    const json_t *command = json_object_get(args, "command");

    if (!json_is_string(command)) {
        return not_run(EXIT_NOT_RUN, "Argument 'command': expected string, got %s%s",
                       command != NULL ? json_type_name(command) : "nothing",
                       json_object_get(args, "code") != NULL
                           ? " (terminal runs shell commands; Python code belongs in the script)"
                           : "");
    }
    terminal->command = json_string_value(command);
    if (strlen(terminal->command) != json_string_length(command)) {
        return not_run(EXIT_NOT_RUN,
                       "Argument 'command' has a NUL byte in it, which no shell takes");
    }
    if (terminal->command[strspn(terminal->command, " \t\r\n")] == '\0') {
        return not_run(EXIT_NOT_RUN, "Argument 'command' is empty");
    }
    return NULL;
}

static json_t *terminal_parse(struct terminal *terminal, const json_t *args)
{
    json_t *error = parse_command(terminal, args);
    const json_t *workdir = json_object_get(args, "workdir");

    if (error != NULL) {
        return error;
    }
    terminal->timeout_s = args_integer(args, "timeout", TIMEOUT_DEFAULT_S, &terminal->warning);
    if (terminal->timeout_s > TIMEOUT_MAX_S || terminal->timeout_s < 1) {
        return not_run(EXIT_NOT_RUN, "timeout=%lld is not between 1 and %d seconds",
                       terminal->timeout_s, TIMEOUT_MAX_S);
    }
    terminal->merge_stderr = args_bool(args, "merge_stderr", true);
    if (workdir != NULL && !json_is_null(workdir)) {
        terminal->workdir = args_path(args, "workdir", &error);
        if (terminal->workdir == NULL) {
            json_decref(error);
            return not_run(EXIT_BAD_WORKDIR, "workdir must be a directory's name");
        }
    }
    return NULL;
}

static int open_directory(struct terminal *terminal, const char *text, struct err *err)
{
    struct tool_call *call = terminal->call;
    int r = path_resolve(call, text, PATH_RULE_NONE, &terminal->directory, err);

    if (r < 0) {
        return r;
    }
    terminal->directory_fd = path_open(call, terminal->directory.real, O_PATH | O_DIRECTORY);
    if (terminal->directory_fd < 0) {
        return err_set(err, terminal->directory_fd, "%s", strerrordesc_np(-terminal->directory_fd));
    }
    if (faccessat(terminal->directory_fd, ".", X_OK, AT_EACCESS) < 0) {
        return err_set(err, -errno, "%s", strerrordesc_np(errno));
    }
    return 0;
}

/* The directory that the last call left may be gone; the workspace is there. */
static json_t *enter_directory(struct terminal *terminal)
{
    struct err err = ERR_INIT;
    const char *last = terminal->snapshot.directory;
    int r = open_directory(terminal, terminal->workdir != NULL ? terminal->workdir : last, &err);

    if (r < 0 && terminal->workdir != NULL) {
        return not_run(EXIT_BAD_WORKDIR, "workdir %s: %s", terminal->workdir, err.text);
    }
    if (r < 0) {
        args_warn(&terminal->warning,
                  "The directory of the last call, %s, cannot be entered (%s); "
                  "the command ran in the workspace.",
                  last, err.text);
        free(terminal->directory.real);
        fd_close(terminal->directory_fd);
        r = open_directory(terminal, ".", &err);
    }
    return r < 0 ? not_run(EXIT_BAD_WORKDIR, "the workspace cannot be entered: %s", err.text)
                 : NULL;
}

static uint64_t effective_deadline(struct terminal *terminal)
{
    uint64_t own = terminal->start_ns + (uint64_t)terminal->timeout_s * NS_PER_S;
    uint64_t run = terminal->call->deadline_ns;

    terminal->run_limit = run != 0 && run < own;
    return terminal->run_limit ? run : own;
}

static json_t *spawn_failed(int code)
{
    if (code == -E2BIG) {
        return not_run(EXIT_NOT_RUN, "The command (with its environment) is too long for the "
                                     "kernel; write it to a file with write_file and run that");
    }
    if (code == -EAGAIN) {
        return not_run(EXIT_NOT_RUN, "The shell could not be started: the process limit of the run "
                                     "is reached");
    }
    return not_run(EXIT_NOT_RUN, "The shell could not be started: %s", strerrordesc_np(-code));
}

static json_t *run_command(struct terminal *terminal)
{
    const struct tools_config *config = terminal->call->config;
    const struct shell_request request = {
        .shell = config->shell != NULL ? config->shell : "/bin/bash",
        .command = terminal->command,
        .snapshot = &terminal->snapshot,
        .directory_fd = terminal->directory_fd,
        .directory = terminal->directory.real,
        .merge_stderr = terminal->merge_stderr,
    };
    const struct shell_limits limits = {
        .deadline_ns = effective_deadline(terminal),
        .cancel_fd = terminal->call->cancel_fd,
        .output_bytes_max = config->output_bytes_max,
        .drain = &terminal->call->state->drain,
    };
    int r = shell_run(&request, &limits, &terminal->outcome);

    if (r < 0) {
        return spawn_failed(r);
    }
    shell_state_apply(terminal->call->state->shell, &terminal->snapshot,
                      (const char *)terminal->outcome.record.data, terminal->outcome.record.length,
                      terminal->workdir != NULL);
    return NULL;
}

/* Head and tail as text, without escape sequences and without blanks at both ends. */
static int render(const struct headtail *stream, struct buf *out, struct headtail_counts *counts)
{
    int r = headtail_render(stream, out, counts);
    size_t start = 0;

    if (r < 0 || out->length == 0) {
        return r;
    }
    out->length = ansi_strip((char *)out->data, out->length);
    while (out->length > 0 && strchr(" \t\r\n\v\f", out->data[out->length - 1]) != NULL &&
           out->data[out->length - 1] != '\0') {
        out->length--;
    }
    while (start < out->length && out->data[start] != '\0' &&
           strchr(" \t\r\n\v\f", out->data[start]) != NULL) {
        start++;
    }
    buf_consume(out, start);
    return 0;
}

static json_t *text_of(const struct buf *text)
{
    return json_text(text->data != NULL ? (const char *)text->data : "", text->length);
}

/* The seconds after which the limit fired, "180" or "12.3". */
static void limit_seconds(const struct terminal *terminal, uint64_t end_ns, char text[32])
{
    if (terminal->run_limit) {
        snprintf(text, 32, "%.1f", (double)(end_ns - terminal->start_ns) / NS_PER_S);
    } else {
        snprintf(text, 32, "%lld", terminal->timeout_s);
    }
}

static void append_line(struct buf *text, const char *line)
{
    if (text->length > 0) {
        buf_append(text, "\n", 1);
    }
    buf_append_text(text, line);
}

/* How a command that we stopped says so: in the output, the exit code and in words. */
static void store_end(const struct terminal *terminal, struct buf *output, uint64_t end_ns,
                      json_t *result)
{
    char seconds[32], line[96];
    _cleanup_free_ char *error = NULL;

    if (terminal->outcome.end == SHELL_CANCELLED) {
        append_line(output, "[Command interrupted]");
        json_object_set_new(result, "exit_code", json_integer(EXIT_CANCELLED));
        json_object_set_new(result, "error", json_string("The command was interrupted"));
        return;
    }
    limit_seconds(terminal, end_ns, seconds);
    snprintf(line, sizeof(line), "[Command timed out after %ss]", seconds);
    append_line(output, line);
    error = str_format("Command timed out after %s s: %s", seconds,
                       terminal->run_limit ? "the time limit of the whole run"
                                           : "the timeout of this terminal call");
    json_object_set_new(result, "exit_code", json_integer(EXIT_TIMED_OUT));
    json_object_set_new(result, "error", json_string(error != NULL ? error : "timed out"));
}

static void store_counts(json_t *result, const struct headtail_counts *counts)
{
    json_object_set_new(result, "stdout_truncated", json_boolean(counts->truncated));
    json_object_set_new(result, "stdout_bytes_total", json_integer((json_int_t)counts->total));
    json_object_set_new(result, "stdout_bytes_captured",
                        json_integer((json_int_t)counts->captured));
    json_object_set_new(result, "stdout_bytes_omitted", json_integer((json_int_t)counts->omitted));
}

static int store_stderr(const struct terminal *terminal, json_t *result)
{
    _cleanup_buf_ struct buf errors = BUF_INIT(0);
    struct headtail_counts counts = {0};
    int r = 0;

    if (terminal->merge_stderr) {
        return 0;
    }
    r = render(&terminal->outcome.errors, &errors, &counts);
    json_object_set_new(result, "stderr", text_of(&errors));
    json_object_set_new(result, "stderr_truncated", json_boolean(counts.truncated));
    return r;
}

static void store_meaning(const struct terminal *terminal, json_t *result)
{
    char buffer[96];
    const char *signal =
        terminal->outcome.signal != 0 ? sigabbrev_np(terminal->outcome.signal) : NULL;
    const char *meaning = NULL;

    if (signal != NULL) {
        snprintf(buffer, sizeof(buffer), "SIG%s", signal);
        json_object_set_new(result, "signal", json_string(buffer));
        return;
    }
    if (terminal->outcome.end == SHELL_ENDED) {
        meaning =
            exit_meaning(terminal->command, terminal->outcome.exit_code, buffer, sizeof(buffer));
    }
    if (meaning != NULL) {
        json_object_set_new(result, "exit_code_meaning", json_string(meaning));
    }
}

static json_t *terminal_result(struct terminal *terminal)
{
    _cleanup_buf_ struct buf output = BUF_INIT(0);
    struct headtail_counts counts = {0};
    uint64_t end_ns = clock_now_ns();
    json_t *result = json_pack("{s:s, s:i, s:n, s:b, s:f}", "output", "", "exit_code",
                               terminal->outcome.exit_code, "error", "timed_out",
                               terminal->outcome.end == SHELL_TIMED_OUT, "duration_seconds",
                               (double)((end_ns - terminal->start_ns) / NS_PER_MS) / 1000.0);

    if (result == NULL || render(&terminal->outcome.output, &output, &counts) < 0 ||
        store_stderr(terminal, result) < 0) {
        json_decref(result);
        return not_run(terminal->outcome.exit_code, "no memory for the output of the command");
    }
    if (terminal->outcome.end != SHELL_ENDED) {
        store_end(terminal, &output, end_ns, result);
    }
    json_object_set_new(result, "output", text_of(&output));
    store_counts(result, &counts);
    store_meaning(terminal, result);
    args_store_warning(result, &terminal->warning);
    return result;
}

json_t *tool_terminal(struct tool_call *call, const json_t *args)
{
    struct terminal terminal __attribute__((cleanup(terminal_deinit))) = {
        .call = call, .directory_fd = -1, .start_ns = clock_now_ns()};
    json_t *error = terminal_parse(&terminal, args);

    if (error != NULL) {
        return error;
    }
    if (shell_state_snapshot(call->state->shell, &terminal.snapshot) < 0) {
        return not_run(EXIT_NOT_RUN, "no memory");
    }
    error = enter_directory(&terminal);
    if (error == NULL) {
        error = run_command(&terminal);
    }
    return error != NULL ? error : terminal_result(&terminal);
}
