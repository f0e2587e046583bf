/* SPDX-License-Identifier: MIT
 *
 * The script's end of the call channel. Any number of Python threads call at once: each request has
 * its own id, one thread at a time reads and hands answers to the others, the GIL is free while
 * waiting. Signals are served while waiting. Only the process that owns the channel may use it.
 */
#pragma once

#include "python/compat.h"
#include "wire/frame.h"

struct hermes_channel;

/* fd: the SOCK_STREAM call channel (borrowed). NULL: no memory. in_flight_max: calls above it wait.
 */
struct hermes_channel *hermes_channel_new(int fd, unsigned in_flight_max);

/* Reads the RUN frame (blocking, no GIL needed). The frame is copied: caller frees ret_head and
 * ret_body. 0 or negative errno (-EPROTO, -ECONNRESET). */
int hermes_channel_receive_run(struct hermes_channel *channel, char **ret_head,
                               size_t *ret_head_length, char **ret_body, size_t *ret_body_length);

/* Sends DONE. 0 or negative errno. Refused (-EPERM) in a forked child of the owner. */
int hermes_channel_send_done(struct hermes_channel *channel, int exit_code, int signal);

int hermes_channel_fd(const struct hermes_channel *channel);
