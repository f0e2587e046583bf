/* SPDX-License-Identifier: MIT
 *
 * The ordered steps of the two processes that init forks: the script and the tools process.
 */
#pragma once

#include "child/setup.h"

struct session {
    const struct run_setup *setup;
    const char *scratch; /* the run's private directory: /tmp of the run, or one below it */
    int workspace_fd;    /* O_PATH */
    int call_fd, out_fd, err_fd;
    const struct zygote_setup *zygote_setup;
    const struct hotpages *hotpages;
    bool own_group; /* the script leads a process group of its own */
};

/* In the forked child; never return. */
_Noreturn void session_script(const struct session *session);
_Noreturn void session_tools(const struct session *session, int channel_fd);

/* What every script does, done by a training child of the zygote (hotpages.h). */
void session_rehearse(void);
