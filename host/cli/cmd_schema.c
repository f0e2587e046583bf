/* SPDX-License-Identifier: MIT
 *
 * ptc-host schema: the tool definition that an agent gives to its model.
 */
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"

#include <string.h>

int cmd_schema(const struct cli_options *options)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct session session;
    int exit_code = session_init(&session, options);

    if (exit_code == 0)
        exit_code = session_open_host(&session);
    if (exit_code == 0) {
        const char *format = options->format ? options->format : "openai";
        char *text = ptc_schema_json(session.host, session.settings, format, &error);
        exit_code = text ? output_result(text, strlen(text)) : session_fail(&session, &error);
        ptc_free(text);
    }
    session_deinit(&session);
    return exit_code;
}
