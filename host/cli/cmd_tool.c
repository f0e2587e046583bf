/* SPDX-License-Identifier: MIT
 *
 * ptc-host tool NAME JSON: one tool call, without a script, in the same sandbox and under the same
 * limits.
 */
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/outcome.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/source.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

static int report(const struct cli_options *options, const ptc_result *result)
{
    size_t length;
    const char *text =
        options->json ? ptc_result_json(result, &length) : ptc_result_value_json(result, &length);
    int exit_code = outcome_exit_code(ptc_result_status(result), ptc_result_exit_code(result));
    int written = 0;

    if (text)
        written = output_result(text, length);
    else
        output_say("%s", ptc_result_error(result));
    return exit_code ? exit_code : written;
}

static int call_with_host(struct session *session, const char *args)
{
    const struct cli_options *options = session->options;
    struct ptc_run_options run = PTC_RUN_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    struct interrupt interrupt;
    ptc_run_handle *handle;
    const ptc_result *result;
    int exit_code;

    if (interrupt_open(&interrupt) < 0)
        return output_fail(options, 1, "cannot wait for signals");
    run.tool = options->script;
    run.tool_args_json = args;
    run.settings = session->settings;
    handle = ptc_run_start(session->host, &run, &error);
    result = handle ? session_wait(session->host, handle, &interrupt) : NULL;
    exit_code = result ? report(options, result) : session_fail(session, &error);
    ptc_run_free(handle);
    interrupt_close(&interrupt);
    return exit_code;
}

int cmd_tool(const struct cli_options *options)
{
    struct source source = {0};
    struct session session;
    char problem[1024];
    const char *args = options->arg_count ? options->args[0] : "{}";
    int exit_code;

    if (!options->script || options->arg_count > 1)
        return output_fail(options, CLI_EXIT_USAGE,
                           "a tool's name and its arguments as one JSON object are wanted: "
                           "ptc-host tool read_file '{\"path\": \"README.md\"}'");
    if (strcmp(args, "-") == 0) {
        if (source_read_stdin(&source, problem, sizeof problem) < 0)
            return output_fail(options, CLI_EXIT_USAGE, problem);
        args = source.code;
    }
    exit_code = session_init(&session, options);
    if (exit_code == 0)
        exit_code = session_open_host(&session);
    if (exit_code == 0)
        exit_code = call_with_host(&session, args);
    session_deinit(&session);
    source_deinit(&source);
    return exit_code;
}
