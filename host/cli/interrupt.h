/* SPDX-License-Identifier: MIT
 *
 * Ctrl-C and friends: the first one cancels the run, the second one ends the program at once.
 */
#pragma once

#include "include/ptc_host.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

struct interrupt {
    ptc_host *host;
    sigset_t signals;
    sigset_t mask_before;
    pthread_t thread;
    bool started;
};

/* Holds the signals back; call it before the host is made, so that none is lost. */
void interrupt_block(struct interrupt *interrupt);
int interrupt_start(struct interrupt *interrupt, ptc_host *host); /* 0 or negative errno */
void interrupt_stop(struct interrupt *interrupt);
