/* SPDX-License-Identifier: MIT
 *
 * What lasts between the tool calls of one run: where the workspace really is, the shell's
 * directory and variables, what files looked like when they were last read. Shared by the call
 * threads.
 */
#pragma once

#include "tools/drain.h"
#include "tools/seen.h"
#include "tools/shell_state.h"
#include "tools/tools.h"

struct tools_state {
    char *workspace;  /* absolute, without links: base of relative paths */
    int workspace_fd; /* borrowed from the config; -1: none */
    struct shell_state *shell;
    struct drain drain; /* pipes of background processes */
    struct seen seen;
    pthread_mutex_t syntax_lock; /* one syntax check at a time: each forks the process */
};

/* NULL when there is no memory. */
struct tools_state *tools_state_new(const struct tools_config *config);
struct tools_state *tools_state_free(struct tools_state *state); /* returns NULL */
