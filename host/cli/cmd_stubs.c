/* SPDX-License-Identifier: MIT
 *
 * ptc-host stubs: hermes_tools.pyi, made from the same specs as the functions themselves.
 */
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/session.h"

#include <string.h>

int cmd_stubs(const struct cli_options *options)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct session session;
    int exit_code = session_init(&session, options);

    if (exit_code == 0)
        exit_code = session_open_host(&session);
    if (exit_code == 0) {
        char *text = ptc_stub_text(session.host, session.settings, &error);
        size_t length = text ? strlen(text) : 0;
        /* output_result ends the text with the newline that it ends with already. */
        exit_code =
            text ? output_result(text, length && text[length - 1] == '\n' ? length - 1 : length)
                 : session_fail(&session, &error);
        ptc_free(text);
    }
    session_deinit(&session);
    return exit_code;
}
