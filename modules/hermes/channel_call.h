/* SPDX-License-Identifier: MIT
 *
 * Inside of the call channel: one call's life, for the files that make calls (call.c,
 * async_call.c).
 *
 * A call is filled, submitted, and over when its answer came, the channel failed, or its owner gave
 * it up. At most in_flight_max calls are with the host; others queue here. Whichever waiting thread
 * finds nobody reading reads for all, and the same holds for writing what the socket did not take
 * at once; nobody holds the lock or a role while Python code runs.
 */
#pragma once

#include "hermes/channel.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/queue.h>
#include <sys/uio.h>

/* How long a wait may last before the thread looks up: the latency of a signal that another thread
 * of the process took. */
#define CHANNEL_TICK_MS 100

/* One frame on its way out. The bytes are borrowed from the call until they have left. */
struct channel_out {
    TAILQ_ENTRY(channel_out) entry;
    unsigned char header[FRAME_HEADER_BYTES];
    struct iovec *parts; /* what has not left yet */
    size_t part_count;
    struct iovec *heap_parts; /* to be freed; NULL while the inline ones do */
    struct iovec inline_parts[4];
    bool queued;
    bool owned; /* a block of its own, freed when it has left */
};

enum call_state {
    CALL_NEW,
    CALL_PENDING,   /* waits for a free place */
    CALL_IN_FLIGHT, /* has an id; its frame is sent or on its way */
    CALL_ANSWERED,
    CALL_FAILED, /* `failure` says why */
    CALL_ABANDONED,
};

struct call_reply {
    unsigned char *data; /* malloc'd; the head begins at `start`, the bodies follow it */
    size_t start, head_bytes, body_bytes;
    uint16_t flags;
};

struct channel_call {
    TAILQ_ENTRY(channel_call) entry; /* in pending, in_flight or finished */
    enum call_state state;
    int failure;
    bool waiting;     /* a thread sleeps on `changed` */
    bool is_async;    /* nobody waits: goes to `finished` when it is over */
    bool is_finished; /* in `finished` */
    bool has_ticked;  /* one blocking recv(2) has timed out: poll(2) from now on */
    pthread_cond_t changed;
    struct frame_header header; /* type, flags and lengths from the caller, id from the channel */
    struct channel_out out;
    struct call_reply reply;
    void *user;
};

/* header's lengths must be set; head and bodies are borrowed until the call is over. -ENOMEM. */
int channel_call_init(struct channel_call *call, const struct frame_header *header,
                      struct frame_part head, const struct frame_part *bodies, size_t body_count);
void channel_call_deinit(
    struct channel_call *call); /* frees the reply too; the call must be over */

/* Makes the calling thread and process the owner; sets the receive timeout. Once, before calls. */
void channel_adopt(struct hermes_channel *channel);
bool channel_is_owner(const struct hermes_channel *channel);
bool channel_on_main_thread(const struct hermes_channel *channel);

/* Queues the call and sends what can be sent. Never blocks, may be called with the GIL. */
void channel_submit(struct hermes_channel *channel, struct channel_call *call);

/* Waits without the GIL. True: the call is over. False: something wants the GIL (signals, when
 * serve_signals; finished async calls), call it again after. */
bool channel_wait(struct hermes_channel *channel, struct channel_call *call, bool serve_signals);

/* Gives up a call: the host is told, a late answer is dropped, unsent bytes are copied (so this
 * needs the memory they are borrowed from, but not the GIL). False when it was over and taken. */
bool channel_abandon(struct hermes_channel *channel, struct channel_call *call);

/* Reads and writes what is possible without blocking, for event loops. */
void channel_pump(struct hermes_channel *channel);
bool channel_wants_write(struct hermes_channel *channel);

/* The next async call that is over, or NULL. */
struct channel_call *channel_take_finished(struct hermes_channel *channel);
