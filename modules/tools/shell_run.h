/* SPDX-License-Identifier: MIT
 *
 * Runs one shell command to its end: reads what it prints, keeps its time, stops it.
 */
#pragma once

#include "base/buf.h"
#include "text/headtail.h"
#include "tools/drain.h"
#include "tools/shell_spawn.h"

#include <stdint.h>

enum shell_end { SHELL_ENDED, SHELL_TIMED_OUT, SHELL_CANCELLED };

struct shell_limits {
    uint64_t deadline_ns; /* 0 = none */
    int cancel_fd;        /* -1 = none */
    size_t output_bytes_max;
    struct drain *drain; /* takes over pipes that the command's background processes still hold */
};

struct shell_outcome {
    enum shell_end end;
    int exit_code; /* 128 + signal when a signal ended the shell */
    int signal;    /* 0 = none */
    struct headtail output, errors;
    struct buf record;
};

/* 0 or negative errno (nothing ran). The outcome must be deinitialised in either case. */
int shell_run(const struct shell_request *request, const struct shell_limits *limits,
              struct shell_outcome *ret_outcome);
void shell_outcome_deinit(struct shell_outcome *outcome);
