/* SPDX-License-Identifier: MIT
 *
 * See channel.h.
 */
#include "run/channel.h"

#include "base/fd.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>

/* Bytes written per flush: a 64 MiB answer must not hold the embedder's frame. */
#define FLUSH_SLICE_BYTES (256 * 1024)

void channel_init(struct channel *channel, struct loop *loop)
{
    memset(channel, 0, sizeof *channel);
    channel->fd = -1;
    channel->loop = loop;
}

int channel_open(struct channel *channel, int fd, loop_source_fn fn, void *user)
{
    int r;

    frame_reader_init(&channel->reader, FRAME_BYTES_MAX);
    frame_queue_init(&channel->queue, SIZE_MAX); /* bounded by not reading: see dispatch_pressure */
    channel->reader.loop = channel->queue.loop = channel->loop;
    channel->fd = fd;
    channel->reading = true;
    channel->source = (struct loop_source){.fd = fd, .events = EPOLLIN, .fn = fn, .user = user};
    r = fd_set_nonblocking(fd);
    return r < 0 ? r : loop_add(channel->loop, &channel->source);
}

void channel_close(struct channel *channel)
{
    if (channel->fd < 0)
        return;
    loop_remove(channel->loop, &channel->source);
    channel->fd = fd_close(channel->fd);
    loop_free_later(channel->loop, channel->reader.buf.data, channel->reader.buf.capacity);
    buf_init(&channel->reader.buf, 0);
    frame_reader_deinit(&channel->reader);
    frame_queue_deinit(&channel->queue);
}

static void events_update(struct channel *channel)
{
    uint32_t events = (channel->reading ? EPOLLIN : 0) | (channel->queue.bytes ? EPOLLOUT : 0);

    if (events != channel->source.events)
        loop_set_events(channel->loop, &channel->source, events);
}

int channel_flush(struct channel *channel)
{
    int r;

    if (channel->fd < 0)
        return -EPIPE;
    if (!channel->queue.bytes)
        return 0;
    r = frame_queue_flush(&channel->queue, channel->fd, FLUSH_SLICE_BYTES);
    if (r < 0) /* nobody will ever read it, and a socket that fails is always ready to be written */
        frame_queue_deinit(&channel->queue);
    events_update(channel);
    return r < 0 ? r : 0;
}

void channel_set_reading(struct channel *channel, bool on)
{
    if (channel->fd < 0 || channel->reading == on)
        return;
    channel->reading = on;
    events_update(channel);
}
