/* SPDX-License-Identifier: MIT
 *
 * A thread that waits for the signals. Unlike a handler it needs no variable outside of a function.
 */
#include "cli/interrupt.h"

#include <unistd.h>

void interrupt_block(struct interrupt *interrupt)
{
    static const int wanted[] = {SIGINT, SIGTERM, SIGHUP};

    *interrupt = (struct interrupt){0};
    sigemptyset(&interrupt->signals);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct sigaction action;
        /* One that is ignored (nohup, a background job of sh) stays ignored. */
        if (sigaction(wanted[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&interrupt->signals, wanted[i]);
    }
    pthread_sigmask(SIG_BLOCK, &interrupt->signals, &interrupt->mask_before);
}

static void *wait_for_signals(void *argument)
{
    struct interrupt *interrupt = argument;
    int signal;

    if (sigwait(&interrupt->signals, &signal) != 0)
        return NULL;
    ptc_host_cancel_all(interrupt->host);
    if (sigwait(&interrupt->signals, &signal) == 0)
        _exit(128 + signal);
    return NULL;
}

int interrupt_start(struct interrupt *interrupt, ptc_host *host)
{
    interrupt->host = host;
    int r = pthread_create(&interrupt->thread, NULL, wait_for_signals, interrupt);
    interrupt->started = r == 0;
    return -r;
}

void interrupt_stop(struct interrupt *interrupt)
{
    if (interrupt->started) {
        pthread_cancel(interrupt->thread); /* sigwait is a cancellation point */
        pthread_join(interrupt->thread, NULL);
        interrupt->started = false;
    }
    pthread_sigmask(SIG_SETMASK, &interrupt->mask_before, NULL);
}
