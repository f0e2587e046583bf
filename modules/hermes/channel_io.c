/* SPDX-License-Identifier: MIT
 *
 * The channel's bytes: frames out without ever blocking under the lock, frames in by whoever reads.
 */
#include "hermes/channel_private.h"

#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* parts were sized by channel_call_init: header, head, bodies. */
void channel_out_init(struct channel_out *out, struct frame_part head,
                      const struct frame_part *bodies, size_t body_count)
{
    out->parts[0] = (struct iovec){out->header, FRAME_HEADER_BYTES};
    out->parts[1] = (struct iovec){(void *)head.data, head.length};
    for (size_t i = 0; i < body_count; i++)
        out->parts[2 + i] = (struct iovec){(void *)bodies[i].data, bodies[i].length};
    out->part_count = 2 + body_count;
}

static struct channel_out *out_new(size_t bytes)
{
    struct channel_out *out = calloc(1, sizeof(*out) + bytes);
    if (!out)
        return NULL;
    out->owned = true;
    out->queued = true;
    out->parts = out->inline_parts;
    return out;
}

static void out_free(struct channel_out *out)
{
    out->queued = false;
    if (out->owned)
        free(out);
}

int channel_out_append(struct hermes_channel *channel, const struct frame_header *header,
                       const char *head)
{
    struct frame_header filled = *header;
    struct channel_out *out = out_new(strlen(head));
    if (!out)
        return -ENOMEM;
    filled.head_bytes = (uint32_t)strlen(head);
    frame_header_encode(&filled, out->header);
    memcpy(out + 1, head, strlen(head));
    channel_out_init(out, (struct frame_part){out + 1, strlen(head)}, NULL, 0);
    TAILQ_INSERT_TAIL(&channel->outs, out, entry);
    channel_flush(channel);
    return channel->failure;
}

/* The owner of the bytes leaves: a frame that has begun must end, so the rest is copied. */
int channel_out_detach(struct hermes_channel *channel, struct channel_out *out)
{
    size_t bytes = 0;
    for (size_t i = 0; i < out->part_count; i++)
        bytes += out->parts[i].iov_len;
    struct channel_out *copy = out_new(bytes);
    if (!copy)
        return -ENOMEM;
    unsigned char *to = (unsigned char *)(copy + 1);
    for (size_t i = 0; i < out->part_count; i++) {
        memcpy(to, out->parts[i].iov_base, out->parts[i].iov_len);
        to += out->parts[i].iov_len;
    }
    copy->parts[0] = (struct iovec){copy + 1, bytes};
    copy->part_count = 1;
    TAILQ_INSERT_AFTER(&channel->outs, out, copy, entry);
    TAILQ_REMOVE(&channel->outs, out, entry);
    out_free(out);
    return 0;
}

static void out_advance(struct channel_out *out, size_t sent)
{
    while (out->part_count > 0 && sent >= out->parts->iov_len) {
        sent -= out->parts->iov_len;
        out->parts++;
        out->part_count--;
    }
    if (sent > 0) {
        out->parts->iov_base = (char *)out->parts->iov_base + sent;
        out->parts->iov_len -= sent;
    }
}

/* 1: all of it has left; 0: the socket is full; negative errno. */
static int out_send(int fd, struct channel_out *out)
{
    while (out->part_count > 0) {
        struct msghdr message = {
            .msg_iov = out->parts,
            .msg_iovlen = out->part_count < IOV_MAX ? out->part_count : IOV_MAX,
        };
        ssize_t n = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return 0;
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n >= 0)
            out_advance(out, (size_t)n);
    }
    return 1;
}

void channel_flush(struct hermes_channel *channel)
{
    struct channel_out *out;

    while (channel->failure == 0 && (out = TAILQ_FIRST(&channel->outs))) {
        int r = out_send(channel->fd, out);
        if (r == 0)
            return;
        if (r < 0) {
            channel_fail(channel, r);
            return;
        }
        TAILQ_REMOVE(&channel->outs, out, entry);
        out_free(out);
    }
}

/* With the reader's role, without the lock. 0 or negative errno; -EAGAIN: nothing there. */
static int frames_read(struct hermes_channel *channel, int recv_flags)
{
    struct frame frame;
    ssize_t n = frame_reader_fill(&channel->reader, channel->fd, recv_flags);
    if (n <= 0)
        return n == 0 ? -ECONNRESET : (int)n;
    for (;;) {
        int r = frame_reader_next(&channel->reader, &frame);
        if (r <= 0)
            return r;
        r = channel_accept(channel, &frame);
        if (r < 0)
            return r;
    }
}

/* 0: ready (ret_events says for what); -EAGAIN: timeout. */
static int events_wait(int fd, short events, int timeout_ms, short *ret_events)
{
    struct pollfd pollfd = {.fd = fd, .events = events};
    int r = poll(&pollfd, 1, timeout_ms);
    if (r < 0)
        return -errno;
    if (r == 0)
        return -EAGAIN;
    if (pollfd.revents & POLLNVAL)
        return -EBADF;
    *ret_events = pollfd.revents;
    return 0;
}

static bool is_nothing(int r)
{
    return r == -EAGAIN || r == -EINTR;
}

bool channel_can_work(const struct hermes_channel *channel)
{
    return channel->failure == 0 &&
           (!channel->reading || (!channel->writing && !TAILQ_EMPTY(&channel->outs)));
}

bool channel_work(struct hermes_channel *channel, bool block_in_recv)
{
    bool reads = !channel->reading;
    bool writes = !channel->writing && !TAILQ_EMPTY(&channel->outs);
    short events = (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
    int r;

    channel->reading |= reads;
    channel->writing |= writes;
    pthread_mutex_unlock(&channel->lock);
    if (reads && !writes && block_in_recv) {
        r = frames_read(channel, 0);
    } else {
        r = events_wait(channel->fd, events, CHANNEL_TICK_MS, &events);
        if (r == 0 && reads && (events & ~POLLOUT))
            r = frames_read(channel, MSG_DONTWAIT);
    }
    pthread_mutex_lock(&channel->lock);
    if (reads)
        channel->reading = false;
    if (writes)
        channel->writing = false;
    if (r < 0 && !is_nothing(r))
        channel_fail(channel, r);
    channel_flush(channel);
    return is_nothing(r);
}

int channel_drain(struct hermes_channel *channel, int timeout_ms)
{
    uint64_t end_ns = clock_now_ns() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * NS_PER_MS;

    pthread_mutex_lock(&channel->lock);
    while (channel->failure == 0 && !TAILQ_EMPTY(&channel->outs)) {
        if (timeout_ms >= 0 && clock_now_ns() >= end_ns)
            break;
        if (channel->writing) { /* another thread's business; look again soon */
            pthread_mutex_unlock(&channel->lock);
            poll(NULL, 0, 1);
            pthread_mutex_lock(&channel->lock);
        } else {
            channel_work(channel, false);
        }
    }
    int r = channel->failure;
    channel_hand_over(channel);
    pthread_mutex_unlock(&channel->lock);
    return r;
}

void channel_pump(struct hermes_channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    if (channel->failure == 0 && !channel->reading) {
        channel->reading = true;
        pthread_mutex_unlock(&channel->lock);
        int r = frames_read(channel, MSG_DONTWAIT);
        pthread_mutex_lock(&channel->lock);
        channel->reading = false;
        if (r < 0 && !is_nothing(r))
            channel_fail(channel, r);
    }
    channel_flush(channel);
    channel_hand_over(channel);
    pthread_mutex_unlock(&channel->lock);
}
