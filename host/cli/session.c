/* SPDX-License-Identifier: MIT
 *
 * Settings in their order of precedence, the log, the host.
 */
#include "cli/session.h"

#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int session_fail(const struct session *session, const struct ptc_error *error)
{
    int exit_code = 1;

    if (error->code == PTC_E_INVALID || error->code == PTC_E_NOT_FOUND)
        exit_code = CLI_EXIT_USAGE;
    else if (error->code == PTC_E_UNAVAILABLE)
        exit_code = CLI_EXIT_UNAVAILABLE;
    return output_fail(session->options, exit_code, error->message);
}

/* The library says "timeout: ..."; a person typed --timeout. */
static int fail_option(const struct session *session, const char *name,
                       const struct ptc_error *error)
{
    char flag[80], message[sizeof error->message + 80];
    size_t length = strlen(name);
    const char *rest = error->message;

    if (strncmp(rest, name, length) == 0 && strncmp(rest + length, ": ", 2) == 0)
        rest += length + 2;
    snprintf(message, sizeof message, "%s: %s", options_flag(name, flag, sizeof flag), rest);
    return output_fail(session->options, CLI_EXIT_USAGE, message);
}

/* 0 when there is no place for a config file. A relative XDG_CONFIG_HOME is to be ignored. */
static int default_config_path(char *path, size_t size)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length = 0;

    if (config && config[0] == '/')
        length = snprintf(path, size, "%s/ptc-host/config.json", config);
    else if (home && home[0] == '/')
        length = snprintf(path, size, "%s/.config/ptc-host/config.json", home);
    return length > 0 && (size_t)length < size;
}

static int load_config(struct session *session)
{
    struct ptc_error error = PTC_ERROR_INIT;
    const struct cli_options *options = session->options;
    char path[PATH_MAX];

    if (options->no_config)
        return 0;
    if (options->config) {
        int r = ptc_settings_load(session->settings, options->config, &error);
        return r < 0 ? output_fail(options, CLI_EXIT_USAGE, error.message) : 0;
    }
    /* One that cannot even be looked for (somebody else's home) is not there. */
    if (!default_config_path(path, sizeof path) || access(path, F_OK) != 0)
        return 0;
    int r = ptc_settings_load(session->settings, path, &error);
    if (r < 0 && r != PTC_E_NOT_FOUND)
        return output_fail(options, CLI_EXIT_USAGE, error.message);
    return 0;
}

static int apply_command_line(struct session *session)
{
    const struct cli_options *options = session->options;

    for (size_t i = 0; i < options->run_count; i++) {
        struct ptc_error error = PTC_ERROR_INIT;
        const struct cli_run_option *option = &options->run[i];
        if (ptc_settings_set(session->settings, option->name, option->value, &error) < 0)
            return fail_option(session, option->name, &error);
    }
    return 0;
}

static int open_log(struct session *session)
{
    const char *path = session->options->log_file;
    char message[PATH_MAX];

    if (!path)
        return 0;
    session->log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
    if (session->log_fd >= 0)
        return 0;
    snprintf(message, sizeof message, "--log-file: cannot open '%.300s': %s", path,
             strerror(errno));
    return output_fail(session->options, CLI_EXIT_USAGE, message);
}

/* A program that runs one script has no second one to prepare an interpreter for. */
static ptc_settings *program_defaults(struct ptc_error *error)
{
    ptc_settings *settings = ptc_settings_new(error);

    if (!settings || ptc_settings_set(settings, "cold", "true", error) == PTC_OK)
        return settings;
    ptc_settings_free(settings);
    return NULL;
}

/* Takes the settings over; NULL: error says why there are none. */
static int session_begin(struct session *session, const struct cli_options *options,
                         ptc_settings *settings, const struct ptc_error *error)
{
    *session = (struct session){.options = options, .settings = settings, .log_fd = -1};
    if (!session->settings)
        return session_fail(session, error);
    int r = load_config(session);
    if (r == 0)
        r = apply_command_line(session);
    return r == 0 ? open_log(session) : r;
}

int session_init(struct session *session, const struct cli_options *options)
{
    struct ptc_error error = PTC_ERROR_INIT;

    return session_begin(session, options, program_defaults(&error), &error);
}

int session_init_warm(struct session *session, const struct cli_options *options)
{
    struct ptc_error error = PTC_ERROR_INIT;

    return session_begin(session, options, ptc_settings_new(&error), &error);
}

static void log_line(void *user, int level, const char *line)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    const struct session *session = user;
    const char *name = level >= 0 && level < 4 ? names[level] : "?";

    if (session->log_fd < 0) {
        output_say("%s: %s", name, line);
        return;
    }
    char text[4096];
    time_t now = time(NULL);
    struct tm utc;
    size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    snprintf(text + length, sizeof text - length, " [%d] %s: %.3900s\n", (int)getpid(), name, line);
    output_write(session->log_fd, text, strlen(text));
}

int session_open_host(struct session *session)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;

    options.settings = session->settings;
    options.log = log_line;
    options.log_user = session;
    options.log_level = session->options->log_level;
    session->host = ptc_host_new(&options, &error);
    return session->host ? 0 : session_fail(session, &error);
}

void session_deinit(struct session *session)
{
    if (session->host)
        ptc_host_free(session->host);
    ptc_settings_free(session->settings);
    if (session->log_fd >= 0)
        close(session->log_fd);
}

const ptc_result *session_wait(ptc_host *host, ptc_run_handle *run, struct interrupt *interrupt)
{
    struct pollfd fds[] = {
        {.fd = ptc_host_fd(host), .events = POLLIN},
        {.fd = interrupt->fd, .events = POLLIN},
    };
    const ptc_result *result;

    while (!(result = ptc_run_result(run))) {
        if (poll(fds, 2, ptc_host_timeout_ms(host)) < 0 && errno != EINTR)
            return NULL;
        if (fds[1].revents && interrupt_take(interrupt))
            ptc_run_cancel(run, NULL);
        if (ptc_host_dispatch(host, 0) < 0)
            return NULL;
    }
    return result;
}
