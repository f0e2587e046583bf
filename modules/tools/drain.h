/* SPDX-License-Identifier: MIT
 *
 * Keeps reading the pipes that background processes of earlier commands still write to, and throws
 * the bytes away. Closing such a pipe would end a `server &` with SIGPIPE at its next log line;
 * leaving it unread would stop it.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define DRAIN_PIPES_MAX 64

struct drain {
    pthread_mutex_t lock;
    pthread_t thread; /* started with the first pipe */
    bool running;
    int wake_fd;
    int fds[DRAIN_PIPES_MAX];
    size_t count;
    bool ending;
};

void drain_init(struct drain *drain);
void drain_deinit(struct drain *drain); /* ends the thread, closes the pipes */

/* Takes the fd over (non-blocking). Closes it at once when there are too many. */
void drain_add(struct drain *drain, int fd);
