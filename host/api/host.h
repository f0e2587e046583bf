/* SPDX-License-Identifier: MIT
 *
 * What the public handles are inside.
 */
#pragma once

#include "api/settings.h"
#include "run/core.h"

struct ptc_host {
    struct core core;
    ptc_settings *settings;
};

struct ptc_result {
    json_t *json;
    char *text; /* the same, serialised */
    size_t length;
};

struct ptc_run_handle {
    ptc_host *host;
    struct run *run;    /* NULL when nothing was started */
    ptc_result *result; /* once it has ended */
};

ptc_result *result_wrap(json_t *json); /* takes the reference over. NULL: no memory */
