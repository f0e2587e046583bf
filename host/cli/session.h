/* SPDX-License-Identifier: MIT
 *
 * What every command needs: the settings (defaults, then the config file, then the command line),
 * the log, and a host.
 */
#pragma once

#include "cli/interrupt.h"
#include "cli/options.h"
#include "include/ptc_host.h"

struct session {
    const struct cli_options *options;
    ptc_settings *settings;
    ptc_host *host;
    int log_fd; /* -1: standard error */
};

/* All return 0, or the exit code after having said what is wrong. */
int session_init(struct session *session, const struct cli_options *options); /* settings, log */
/* The same for a command that serves many runs: a prepared interpreter unless told otherwise. */
int session_init_warm(struct session *session, const struct cli_options *options);
int session_open_host(struct session *session);
void session_deinit(struct session *session);

/* The program's loop, the host's fd and the signals, until the run has ended. Borrowed; NULL when the
 * loop cannot go on. */
const ptc_result *session_wait(ptc_host *host, ptc_run_handle *run, struct interrupt *interrupt);

/* Says what error says and returns the exit code that goes with it. */
int session_fail(const struct session *session, const struct ptc_error *error);
