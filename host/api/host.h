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
    ptc_run_handle *handles; /* list: those that were not freed yet */
    char *sessions_dir;      /* NULL: the user's state directory */
};

struct ptc_result {
    json_t *json; /* NULL: the spare one */
    char *text;   /* the same, serialised */
    size_t length;
    char *value_text; /* of a tool call; NULL: none */
};

struct ptc_run_handle {
    ptc_run_handle *next; /* the host's list */
    ptc_host *host;       /* NULL once it is gone */
    struct run *run;      /* NULL when nothing was started */
    ptc_result *result;   /* once it has ended */
    ptc_result *spare;    /* for when there is no memory for that */
    ptc_output_fn output;
    ptc_event_fn event;
    ptc_policy_fn policy;
    void *user;                /* of the three */
    struct loop_timer refused; /* tells of the end of a run that was never started */
};

/* True in a forked child of the process that made the host. */
bool host_is_foreign(const ptc_host *host, struct ptc_error *error);

/* The run ends and only the result, if it was there, stays with the handle. */
void handle_detach(ptc_run_handle *handle);

/* The result that says that there was no memory for a result. NULL: no memory. */
ptc_result *result_spare(void);
ptc_result *result_wrap(json_t *json); /* takes the reference over. NULL: no memory */
