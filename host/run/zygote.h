/* SPDX-License-Identifier: MIT
 *
 * The host's side of one zygote process: started by exec with an environment built from nothing,
 * asked to fork, and watched. Its death ends its runs; the next run gets a new one.
 */
#pragma once

#include "base/loop.h"
#include "run/policy.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct core;
struct err;
struct run;

enum zygote_state { ZYGOTE_STARTING, ZYGOTE_READY, ZYGOTE_DEAD };

struct zygote {
    struct zygote *next;
    struct core *core;
    char *key;
    bool cold; /* serves one run, then goes */
    enum zygote_state state;
    pid_t pid;
    int pidfd;
    int control_fd;
    int stderr_fd; /* memfd: its last words when it cannot start */
    struct loop_source control_source, pidfd_source;
    unsigned run_count; /* runs that it has not reported gone */
    unsigned forks_served;
    bool has_plain_runs; /* some run had no pid namespace: its script could send us signals */
    bool forks_waiting;  /* some run's FORK did not fit into the socket */
};

/* The zygote for this policy: a running one with the same key, or a new one. */
struct zygote *zygote_get(struct core *core, const struct policy *policy, struct err *err);

/* Sends FORK for run, with the four child ends in fds; they stay the caller's. 1: sent; 0: the
 * socket is full, run_fork_retry is called when it drains; negative errno: the zygote is dead. */
int zygote_fork(struct zygote *zygote, struct run *run, const int fds[4]);

void zygote_release(struct zygote *zygote); /* one of its runs is gone for good */

/* Frees the dead ones and the cold ones that have done their run. Not inside a callback. */
void zygote_sweep(struct core *core);

void zygote_kill(struct zygote *zygote);

/* Kills, reaps, unlinks, frees. */
void zygote_free(struct zygote *zygote);
