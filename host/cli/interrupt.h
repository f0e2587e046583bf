/* SPDX-License-Identifier: MIT
 *
 * Ctrl-C and friends: the first one cancels the run, the second one ends the program at once.
 */
#pragma once

#include <signal.h>

struct interrupt {
    sigset_t mask_before;
    int fd;   /* readable when a signal waits */
    int seen; /* how many have come */
};

/* Holds the signals back; call it before the host is made, so that none is lost. 0 or negative
 * errno. */
int interrupt_open(struct interrupt *interrupt);

/* Takes one signal: true when the run is to be cancelled, false when none waits. Never returns from
 * the second. */
_Bool interrupt_take(struct interrupt *interrupt);
void interrupt_close(struct interrupt *interrupt);
