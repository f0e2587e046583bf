/* SPDX-License-Identifier: MIT
 *
 * Exit codes: the script's own pass unchanged (death by a signal is 128 + its number, as in a
 * shell: the library says so already), the statuses of the host have codes of their own.
 */
#include "cli/outcome.h"

#include "cli/output.h"

#include <string.h>

struct status_code {
    const char *status;
    int exit_code;
};

static const struct status_code status_codes[] = {
    {"timeout", CLI_EXIT_TIMEOUT},
    {"interrupted", CLI_EXIT_INTERRUPTED},
    {"sandbox_unavailable", CLI_EXIT_UNAVAILABLE},
    {"protocol_error", CLI_EXIT_PROTOCOL},
    {"protocol_stalled", CLI_EXIT_PROTOCOL},
};

int outcome_exit_code(const char *status, int exit_code)
{
    for (size_t i = 0; i < sizeof status_codes / sizeof status_codes[0]; i++)
        if (strcmp(status_codes[i].status, status) == 0)
            return status_codes[i].exit_code;
    if (strcmp(status, "success") == 0)
        return exit_code > 0 ? exit_code : 0;
    return exit_code > 0 ? exit_code : 1;
}

bool outcome_is_ours(const char *status, int exit_code)
{
    if (strcmp(status, "success") == 0)
        return false;
    return strcmp(status, "error") != 0 || exit_code < 0;
}
