/* SPDX-License-Identifier: MIT
 *
 * What the public handles are inside.
 */
#pragma once

#include "api/settings.h"
#include "run/core.h"

#include <stdbool.h>

struct ptc_host {
    struct core core;
    ptc_settings *settings;
    char *sessions_dir; /* NULL: the user's state directory */
};

struct ptc_result {
    json_t *json;
    char *text; /* the same, serialised */
    size_t length;
    char *value_text; /* of a tool call; NULL: none */
};

struct ptc_run_handle {
    ptc_host *host;
    struct run *run;    /* NULL when nothing was started */
    ptc_result *result; /* once it has ended */
    ptc_output_fn output;
    ptc_event_fn event;
    ptc_policy_fn policy;
    void *user; /* of the three */
};

/* True in a forked child of the process that made the host. */
bool host_is_foreign(const ptc_host *host, struct ptc_error *error);

ptc_result *result_wrap(json_t *json); /* takes the reference over. NULL: no memory */
