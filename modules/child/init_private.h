/* SPDX-License-Identifier: MIT
 *
 * Init's state, shared by its life (init.c) and the building of a run (init_run.c).
 */
#pragma once

#include "child/init.h"
#include "child/setup.h"

struct err;

struct init {
    const struct init_config *config;
    unsigned layers; /* what holds */
    int signal_fd;
    struct run_setup setup;
    char scratch[64];
    int workspace_fd;
    int go_fd;           /* the script waits at its other end */
    pid_t script, tools; /* 0: not running */
};

/* BIND, then everything that init's own process can set for the run. 0 or negative errno. */
int init_prepare_run(struct init *init, struct err *err);

/* GO to the script, which init has forked before. */
int init_send_go(struct init *init);
