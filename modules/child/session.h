/* SPDX-License-Identifier: MIT
 *
 * The ordered steps of the two processes that init forks: the script and the tools process.
 *
 * The script's process is forked before anybody knows its run. It prepares what every run has in
 * common (privileges, interpreter, pages) while init builds the run's walls, and then waits for GO.
 */
#pragma once

#include "child/setup.h"

struct hotpages;

/* ---- session_script.c ---- */

struct script_config {
    int go_fd; /* SEQPACKET: GO comes from init; its end is the end */
    const struct zygote_setup *zygote_setup;
    const struct hotpages *hotpages;
    bool own_group; /* lead a process group of its own */
};

/* GO {fds: call channel, stdout, stderr, O_PATH working directory}: this, then changes of the
 * environment, "NAME=VALUE\0" each. */
struct go {
    struct rlimits limits;
    uint32_t env_bytes;
};
#define GO_FDS       4
#define GO_BYTES_MAX (128 * 1024)

/* In the forked child; never returns. */
_Noreturn void session_script(const struct script_config *config);

/* What every script does, done by a training child of the zygote (hotpages.h). */
void session_rehearse(void);

/* ---- session_tools.c ---- */

struct tools_session {
    const struct run_setup *setup;
    const char *home; /* the run's private directory */
    int workspace_fd; /* O_PATH */
    int channel_fd;
    const struct zygote_setup *zygote_setup;
};

_Noreturn void session_tools(const struct tools_session *session);

/* ---- both ---- */

#define SESSION_EXIT_SETUP 71 /* as sysexits' EX_OSERR: the run never began */

/* Signals as a program that was just started has them: nothing blocked. */
void session_reset_signals(void);
_Noreturn void session_fail(const char *step, int r);
