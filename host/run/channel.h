/* SPDX-License-Identifier: MIT
 *
 * One framed socket in the loop: reader, outbound queue, back-pressure.
 */
#pragma once

#include "base/loop.h"
#include "wire/frame.h"

#include <stdbool.h>

struct channel {
    int fd; /* -1: closed */
    struct loop *loop;
    struct loop_source source;
    struct frame_reader reader;
    struct frame_queue queue;
    bool reading;
};

void channel_init(struct channel *channel, struct loop *loop);
int channel_open(struct channel *channel, int fd, loop_source_fn fn,
                 void *user);                /* takes fd over */
void channel_close(struct channel *channel); /* safe twice; forgets what was queued */

/* Writes what the socket takes and asks for EPOLLOUT when more waits. 0 or negative errno. */
int channel_flush(struct channel *channel);

/* Stops or goes on reading: how one end is made to wait for the other. */
void channel_set_reading(struct channel *channel, bool on);
