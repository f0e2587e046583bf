/* SPDX-License-Identifier: MIT
 *
 * A signalfd in the program's loop. Unlike a handler it needs no variable outside of a function,
 * and unlike a thread it costs nothing.
 */
#include "cli/interrupt.h"

#include <errno.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

int interrupt_open(struct interrupt *interrupt)
{
    static const int wanted[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t signals;

    *interrupt = (struct interrupt){.fd = -1};
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct sigaction action;
        /* One that is ignored (nohup, a background job of sh) stays ignored. */
        if (sigaction(wanted[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&signals, wanted[i]);
    }
    sigprocmask(SIG_BLOCK, &signals, &interrupt->mask_before);
    interrupt->fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    return interrupt->fd < 0 ? -errno : 0;
}

_Bool interrupt_take(struct interrupt *interrupt)
{
    struct signalfd_siginfo info;

    if (read(interrupt->fd, &info, sizeof info) != sizeof info)
        return 0;
    if (interrupt->seen++)
        _exit(128 + (int)info.ssi_signo);
    return 1;
}

void interrupt_close(struct interrupt *interrupt)
{
    if (interrupt->fd >= 0)
        close(interrupt->fd);
    sigprocmask(SIG_SETMASK, &interrupt->mask_before, NULL);
}
