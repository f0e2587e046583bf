/* SPDX-License-Identifier: MIT
 *
 * The channel's own state, shared by its three files: channel.c (open, RUN, DONE), channel_io.c
 * (bytes), channel_queue.c (calls).
 */
#pragma once

#include "hermes/channel_call.h"

#include <sys/types.h>

TAILQ_HEAD(channel_calls, channel_call);
TAILQ_HEAD(channel_outs, channel_out);

struct hermes_channel {
    int fd;
    unsigned in_flight_max;
    pid_t owner;
    pthread_t main_thread;

    pthread_mutex_t lock; /* guards what follows; never held while waiting for the GIL */
    uint64_t last_id;
    unsigned in_flight_count;
    struct channel_calls pending, in_flight, finished;
    struct channel_outs outs; /* frames whose bytes the socket has not taken */
    bool reading, writing;    /* a thread has the role */
    int failure;              /* negative errno: the channel is dead */

    struct frame_reader reader; /* belongs to the thread that is reading */
};

/* All of these: with the lock held. */
void channel_out_init(struct channel_out *out, struct frame_part head,
                      const struct frame_part *bodies, size_t body_count);
int channel_out_append(struct hermes_channel *channel, const struct frame_header *header,
                       const char *head); /* a frame with a block of its own (CANCEL, DONE) */
int channel_out_detach(struct hermes_channel *channel, struct channel_out *out);
void channel_flush(struct hermes_channel *channel);
void channel_fail(struct hermes_channel *channel, int failure);
void channel_hand_over(struct hermes_channel *channel);
bool channel_can_work(const struct hermes_channel *channel); /* a role is free and needed */

/* Lock held before and after, not while waiting. One read or wait for room; at most a tick. True
 * when it ended for nothing: a timeout or a signal. */
bool channel_work(struct hermes_channel *channel, bool block_in_recv);

/* Waits until the outbound frames have left, at most timeout_ms (-1: no bound). Without the GIL. */
int channel_drain(struct hermes_channel *channel, int timeout_ms);

/* Without the lock: one whole frame for whom it concerns. 0, or negative errno: violation. */
int channel_accept(struct hermes_channel *channel, const struct frame *frame);
