/* SPDX-License-Identifier: MIT
 *
 * The channel's calls: a place among those in flight, an id, an answer, or an end without one.
 */
#include "hermes/channel_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* After a call was given up in the middle of its frame: how long its rest may take to leave before
 * it is left to the next call. */
#define ABANDON_DRAIN_MS 1000

int channel_call_init(struct channel_call *call, const struct frame_header *header,
                      struct frame_part head, const struct frame_part *bodies, size_t body_count)
{
    const size_t inline_count = sizeof(call->out.inline_parts) / sizeof(call->out.inline_parts[0]);

    memset(call, 0, sizeof(*call));
    call->out.parts = call->out.inline_parts;
    if (2 + body_count > inline_count) {
        call->out.heap_parts = calloc(2 + body_count, sizeof(struct iovec));
        if (!call->out.heap_parts)
            return -ENOMEM;
        call->out.parts = call->out.heap_parts;
    }
    pthread_cond_init(&call->changed, NULL);
    call->header = *header;
    channel_out_init(&call->out, head, bodies, body_count);
    return 0;
}

void channel_call_deinit(struct channel_call *call)
{
    pthread_cond_destroy(&call->changed);
    free(call->out.heap_parts);
    free(call->reply.data);
    call->out.heap_parts = NULL;
    call->reply.data = NULL;
}

static bool call_is_over(const struct channel_call *call)
{
    return call->state >= CALL_ANSWERED;
}

/* Off its list, with its end; whoever waits is told. What is left of its frame is copied: the owner
 * may free the bytes from now on. */
static void call_finish(struct hermes_channel *channel, struct channel_call *call,
                        enum call_state state)
{
    if (call->state == CALL_IN_FLIGHT) {
        TAILQ_REMOVE(&channel->in_flight, call, entry);
        channel->in_flight_count--;
    } else if (call->state == CALL_PENDING) {
        TAILQ_REMOVE(&channel->pending, call, entry);
    }
    call->state = state;
    if (call->out.queued && channel_out_detach(channel, &call->out) < 0)
        channel_fail(channel, -ENOMEM);
    if (state == CALL_ABANDONED)
        return;
    if (call->is_async) {
        TAILQ_INSERT_TAIL(&channel->finished, call, entry);
        call->is_finished = true;
    } else if (call->waiting) {
        pthread_cond_signal(&call->changed);
    }
}

static void calls_fail(struct hermes_channel *channel, struct channel_calls *calls)
{
    struct channel_call *call;

    while ((call = TAILQ_FIRST(calls))) {
        call->failure = channel->failure;
        call_finish(channel, call, CALL_FAILED);
    }
}

void channel_fail(struct hermes_channel *channel, int failure)
{
    struct channel_out *out;

    if (channel->failure == 0)
        channel->failure = failure;
    while ((out = TAILQ_FIRST(&channel->outs))) {
        TAILQ_REMOVE(&channel->outs, out, entry);
        out->queued = false;
        if (out->owned)
            free(out);
    }
    calls_fail(channel, &channel->in_flight);
    calls_fail(channel, &channel->pending);
}

/* The id is given where the frame joins the outbound queue, under one lock: the order on the wire
 * is the order of the ids. */
static void calls_admit(struct hermes_channel *channel)
{
    struct channel_call *call;

    while (channel->failure == 0 && channel->in_flight_count < channel->in_flight_max &&
           (call = TAILQ_FIRST(&channel->pending))) {
        TAILQ_REMOVE(&channel->pending, call, entry);
        TAILQ_INSERT_TAIL(&channel->in_flight, call, entry);
        channel->in_flight_count++;
        call->state = CALL_IN_FLIGHT;
        call->header.id = ++channel->last_id;
        frame_header_encode(&call->header, call->out.header);
        call->out.queued = true;
        TAILQ_INSERT_TAIL(&channel->outs, &call->out, entry);
        channel_flush(channel);
    }
}

void channel_submit(struct hermes_channel *channel, struct channel_call *call)
{
    pthread_mutex_lock(&channel->lock);
    call->state = CALL_PENDING;
    TAILQ_INSERT_TAIL(&channel->pending, call, entry);
    if (channel->failure < 0)
        calls_fail(channel, &channel->pending);
    else
        calls_admit(channel);
    if (call->is_async)
        channel_hand_over(channel);
    pthread_mutex_unlock(&channel->lock);
}

static struct channel_call *waiter_find(struct channel_calls *calls)
{
    struct channel_call *call;

    TAILQ_FOREACH(call, calls, entry)
    if (call->waiting)
        return call;
    return NULL;
}

/* One of those who sleep takes over what the caller no longer does. */
void channel_hand_over(struct hermes_channel *channel)
{
    if (!channel_can_work(channel))
        return;
    struct channel_call *call = waiter_find(&channel->in_flight);
    if (!call)
        call = waiter_find(&channel->pending);
    if (call)
        pthread_cond_signal(&call->changed);
}

/* True when it ended by the clock. */
static bool call_sleep(struct hermes_channel *channel, struct channel_call *call, bool with_ticks)
{
    struct timespec until;
    int r;

    call->waiting = true;
    if (with_ticks) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += CHANNEL_TICK_MS * 1000000l;
        until.tv_sec += until.tv_nsec / 1000000000l;
        until.tv_nsec %= 1000000000l;
        r = pthread_cond_clockwait(&call->changed, &channel->lock, CLOCK_MONOTONIC, &until);
    } else {
        r = pthread_cond_wait(&call->changed, &channel->lock);
    }
    call->waiting = false;
    return r == ETIMEDOUT;
}

bool channel_wait(struct hermes_channel *channel, struct channel_call *call, bool serve_signals)
{
    bool wants_gil = false;

    pthread_mutex_lock(&channel->lock);
    while (!call_is_over(call) && !wants_gil) {
        bool ticked;
        if (channel_can_work(channel)) {
            ticked = channel_work(channel, !call->has_ticked);
            call->has_ticked |= ticked;
        } else {
            ticked = call_sleep(channel, call, serve_signals);
        }
        wants_gil = (ticked && serve_signals) || !TAILQ_EMPTY(&channel->finished);
    }
    channel_hand_over(channel);
    bool over = call_is_over(call);
    pthread_mutex_unlock(&channel->lock);
    return over;
}

static struct channel_call *call_find(struct hermes_channel *channel, uint64_t id)
{
    struct channel_call *call;

    TAILQ_FOREACH(call, &channel->in_flight, entry)
    if (call->header.id == id)
        return call;
    return NULL;
}

/* A frame that has the reader's buffer to itself leaves with the buffer: no second copy of 64 MiB.
 */
static int reply_take(struct frame_reader *reader, const struct frame *frame,
                      struct call_reply *ret_reply)
{
    size_t bytes = (size_t)frame->header.head_bytes + frame->header.body_bytes;
    const unsigned char *head = (const unsigned char *)frame->head;

    *ret_reply = (struct call_reply){
        .head_bytes = frame->header.head_bytes,
        .body_bytes = frame->header.body_bytes,
        .flags = frame->header.flags,
    };
    if (bytes > FRAME_HEAD_BYTES_MAX && reader->start == reader->buf.length &&
        head == reader->buf.data + FRAME_HEADER_BYTES) {
        ret_reply->data = reader->buf.data;
        ret_reply->start = FRAME_HEADER_BYTES;
        buf_init(&reader->buf, reader->buf.limit);
        reader->start = 0;
        return 0;
    }
    ret_reply->data = malloc(bytes + 1);
    if (!ret_reply->data)
        return -ENOMEM;
    memcpy(ret_reply->data, frame->head, frame->header.head_bytes);
    if (frame->header.body_bytes > 0)
        memcpy(ret_reply->data + frame->header.head_bytes, frame->body, frame->header.body_bytes);
    return 0;
}

int channel_accept(struct hermes_channel *channel, const struct frame *frame)
{
    struct call_reply reply;

    if (frame->header.type != FRAME_REPLY)
        return -EPROTO;
    int r = reply_take(&channel->reader, frame, &reply);
    if (r < 0)
        return r;
    pthread_mutex_lock(&channel->lock);
    struct channel_call *call = call_find(channel, frame->header.id);
    if (call) {
        call->reply = reply;
        reply.data = NULL;
        call_finish(channel, call, CALL_ANSWERED);
        calls_admit(channel);
    } else if (frame->header.id == 0 || frame->header.id > channel->last_id) {
        r = -EPROTO; /* nobody has asked; an id from before is the late answer of a given-up call */
    }
    pthread_mutex_unlock(&channel->lock);
    free(reply.data);
    return r;
}

static void call_cancel(struct hermes_channel *channel, struct channel_call *call)
{
    struct frame_header header = {.type = FRAME_CANCEL, .id = call->header.id};

    call_finish(channel, call, CALL_ABANDONED);
    if (channel->failure == 0 && channel_out_append(channel, &header, "{}") == -ENOMEM)
        channel_fail(channel, -ENOMEM);
    calls_admit(channel);
}

bool channel_abandon(struct hermes_channel *channel, struct channel_call *call)
{
    bool was_active = true;

    pthread_mutex_lock(&channel->lock);
    if (call->state == CALL_IN_FLIGHT) {
        call_cancel(channel, call);
    } else if (call->state == CALL_PENDING) {
        call_finish(channel, call, CALL_ABANDONED);
    } else if (call->is_finished) {
        TAILQ_REMOVE(&channel->finished, call, entry);
        call->is_finished = false;
    } else {
        was_active = false;
    }
    bool drain = channel->failure == 0 && !TAILQ_EMPTY(&channel->outs);
    channel_hand_over(channel);
    pthread_mutex_unlock(&channel->lock);
    if (drain && !call->is_async)
        channel_drain(channel, ABANDON_DRAIN_MS);
    return was_active;
}

bool channel_wants_write(struct hermes_channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    bool wants = !TAILQ_EMPTY(&channel->outs);
    pthread_mutex_unlock(&channel->lock);
    return wants;
}

struct channel_call *channel_take_finished(struct hermes_channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    struct channel_call *call = TAILQ_FIRST(&channel->finished);
    if (call) {
        TAILQ_REMOVE(&channel->finished, call, entry);
        call->is_finished = false;
    }
    pthread_mutex_unlock(&channel->lock);
    return call;
}
