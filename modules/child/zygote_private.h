/* SPDX-License-Identifier: MIT
 *
 * The zygote's state, shared by its life (zygote.c) and its forks (zygote_fork.c).
 */
#pragma once

#include "child/hotpages.h"
#include "child/setup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct control_message;

struct zygote_run {
    uint32_t run;
    pid_t pid;
};

/* An init made ahead of time, with its namespaces: what a run can have that was not known yet. */
struct spare {
    pid_t pid; /* 0: none */
    int pidfd;
    int fd; /* a FORK packet sent here makes it the run's */
};

struct zygote {
    int control_fd;
    int host_pidfd;
    int signal_fd;
    struct zygote_setup setup;
    struct hotpages hotpages;
    bool namespaces_known;   /* the first run has shown whether they can be had */
    int namespaces_error;    /* and if not, why: negative errno */
    bool has_plain_runs;     /* some run has no pid namespace */
    struct zygote_run *runs; /* alive */
    size_t run_count, run_capacity;
    struct spare spare;
};

/* The run's init, with `layers` where this machine has namespaces: the spare one, or a new one. Its
 * pid, or negative errno. */
pid_t zygote_fork_init(struct zygote *zygote, const struct control_message *fork, unsigned layers,
                       int *ret_pidfd);

/* Half of the way to the next run, gone before anybody waits for it. */
void zygote_make_spare(struct zygote *zygote);
void zygote_forget_spare(struct zygote *zygote); /* it was taken, or has died */
