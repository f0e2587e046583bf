/* SPDX-License-Identifier: MIT
 *
 * Starts one bash for one command.
 */
#pragma once

#include "tools/shell_state.h"

#include <stdbool.h>
#include <sys/types.h>

struct shell_request {
    const char *shell;   /* "/bin/bash" */
    const char *command; /* no NUL inside */
    const struct shell_snapshot *snapshot;
    int directory_fd;      /* where it starts */
    const char *directory; /* the name of that, for $PWD */
    bool merge_stderr;
};

struct shell_process {
    pid_t pid;     /* leader of its own process group */
    int pidfd;     /* -1 where the kernel has none */
    int output_fd; /* stdout, with stderr when merged */
    int stderr_fd; /* -1 when merged */
    int record_fd; /* what shell_state_apply takes */
};

/* 0 or negative errno (-E2BIG: the command is too long). The fds belong to the caller and do not
 * block. */
int shell_spawn(const struct shell_request *request, struct shell_process *ret_process);
