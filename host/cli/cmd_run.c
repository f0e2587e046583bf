/* SPDX-License-Identifier: MIT
 *
 * ptc-host SCRIPT: run it, pass its output on as it comes, end as it ended.
 */
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/outcome.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Where live output goes. A reader that went away stops the output, not the run. */
struct live_output {
    int stdout_errno, stderr_errno; /* 0 while it works */
};

static void forward(void *user, int stream, const char *data, size_t length)
{
    struct live_output *live = user;
    bool is_stdout = stream == PTC_STREAM_STDOUT;
    int *failed = is_stdout ? &live->stdout_errno : &live->stderr_errno;

    if (*failed == 0)
        *failed = -output_write(is_stdout ? STDOUT_FILENO : STDERR_FILENO, data, length);
}

static ptc_run_handle *script_start(struct session *session, const struct source *source,
                                    struct live_output *live, struct ptc_error *error)
{
    const struct cli_options *options = session->options;
    struct ptc_run_options run = PTC_RUN_OPTIONS_INIT;

    run.path = source->path;
    run.code = source->code;
    run.code_length = source->code_length;
    run.argv = (const char *const *)options->args;
    run.argc = options->arg_count;
    run.settings = session->settings;
    run.user = live;
    run.output = options->json ? NULL : forward;
    return ptc_run_start(session->host, &run, error);
}

static void explain(const ptc_result *result)
{
    const char *status = ptc_result_status(result), *error = ptc_result_error(result);
    const char *hint = ptc_result_hint(result);

    if (strcmp(status, "success") == 0)
        return;
    if (outcome_is_ours(status, ptc_result_exit_code(result)) || ptc_result_signal(result))
        output_say("%s", error && *error ? error : status);
    if (hint && *hint)
        output_say("hint: %s", hint);
}

static int report_text(const ptc_result *result, const struct live_output *live)
{
    explain(result);
    if (live->stdout_errno && live->stdout_errno != EPIPE)
        output_say("cannot write to standard output: %s", strerror(live->stdout_errno));
    return live->stdout_errno && live->stdout_errno != EPIPE ? CLI_EXIT_OUTPUT : 0;
}

static int report(const struct session *session, const ptc_result *result,
                  const struct live_output *live)
{
    size_t length;
    const char *json = ptc_result_json(result, &length);
    int exit_code = outcome_exit_code(ptc_result_status(result), ptc_result_exit_code(result));
    int written = session->options->json ? output_result(json, length) : report_text(result, live);
    return exit_code ? exit_code : written;
}

static int run_with_host(struct session *session, const struct source *source)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct live_output live = {0};
    struct interrupt interrupt;
    ptc_run_handle *run = NULL;
    int exit_code = 1;

    if (interrupt_open(&interrupt) < 0)
        output_fail(session->options, 1, "cannot wait for signals");
    else
        exit_code = session_open_host(session);
    if (exit_code == 0) {
        run = script_start(session, source, &live, &error);
        const ptc_result *result = run ? session_wait(session->host, run, &interrupt) : NULL;
        exit_code = result ? report(session, result, &live) : session_fail(session, &error);
        ptc_run_free(run);
    }
    interrupt_close(&interrupt);
    return exit_code;
}

int cmd_run(const struct cli_options *options)
{
    char problem[1024];
    struct source source = {0};
    struct session session;

    if (!options->code && !options->script && isatty(STDIN_FILENO)) {
        help_short();
        return CLI_EXIT_USAGE;
    }
    int exit_code = session_init(&session, options);
    if (exit_code == 0 && source_load(&source, options, problem, sizeof problem) < 0)
        exit_code = output_fail(options, CLI_EXIT_USAGE, problem);
    else if (exit_code == 0)
        exit_code = run_with_host(&session, &source);
    session_deinit(&session);
    source_deinit(&source);
    return exit_code;
}
