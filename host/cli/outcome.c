/* SPDX-License-Identifier: MIT
 *
 * Exit codes: the script's own pass unchanged, the statuses of the host have codes of their own,
 * and death by a signal is 128 + its number as in a shell.
 */
#include "cli/outcome.h"

#include "cli/output.h"

#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
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

int outcome_exit_code(const char *status, int exit_code, int signal)
{
    for (size_t i = 0; i < sizeof status_codes / sizeof status_codes[0]; i++)
        if (strcmp(status_codes[i].status, status) == 0)
            return status_codes[i].exit_code;
    if (signal > 0)
        return 128 + signal;
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

/* Past the string that starts at the quote at. */
static const char *string_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\')
            at++;
    return at < end ? at + 1 : end;
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

/* The value of a key of the outermost object. The text is the library's own JSON, so it is well
 * formed; a key inside a string or a nested object is none. */
static const char *member_value(const char *json, const char *end, const char *quoted_key)
{
    size_t key_length = strlen(quoted_key);
    int depth = 0;

    for (const char *at = json; at < end;) {
        if (*at != '"') {
            depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
            at++;
            continue;
        }
        const char *after = skip_space(string_end(at, end), end);
        bool is_key = depth == 1 && after < end && *after == ':';
        if (is_key && (size_t)(end - at) > key_length && strncmp(at, quoted_key, key_length) == 0)
            return skip_space(after + 1, end);
        at = after;
    }
    return NULL;
}

static int signal_number(const char *name)
{
    for (int number = 1; number < NSIG; number++) {
        const char *known = sigabbrev_np(number);
        if (!known)
            continue;
        size_t length = strlen(known);
        if (strncmp(name, known, length) == 0 && !isalnum((unsigned char)name[length]))
            return number;
    }
    return 0;
}

int outcome_signal(const char *json, size_t length)
{
    const char *value = member_value(json, json + length, "\"signal\"");

    if (!value)
        return 0;
    if (isdigit((unsigned char)*value))
        return atoi(value);
    if (strncmp(value, "\"SIG", 4) == 0)
        return signal_number(value + 4);
    return 0;
}
