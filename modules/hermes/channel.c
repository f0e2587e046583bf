/* SPDX-License-Identifier: MIT
 *
 * Opening the call channel, its first frame (RUN) and its last one (DONE).
 */
#include "hermes/channel_private.h"

#include "base/fd.h"
#include "base/str.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>

struct hermes_channel *hermes_channel_new(int fd, unsigned in_flight_max)
{
    struct hermes_channel *channel = calloc(1, sizeof(*channel));
    if (!channel)
        return NULL;
    channel->fd = fd;
    channel->in_flight_max = in_flight_max ? in_flight_max : 1;
    channel->owner = getpid();
    channel->main_thread = pthread_self();
    TAILQ_INIT(&channel->pending);
    TAILQ_INIT(&channel->in_flight);
    TAILQ_INIT(&channel->finished);
    TAILQ_INIT(&channel->outs);
    pthread_mutex_init(&channel->lock, NULL);
    frame_reader_init(&channel->reader, FRAME_BYTES_MAX);
    return channel;
}

void channel_adopt(struct hermes_channel *channel)
{
    struct timeval tick = {.tv_usec = CHANNEL_TICK_MS * 1000};

    channel->owner = getpid();
    channel->main_thread = pthread_self();
    fd_set_cloexec(channel->fd, 1); /* programs that the script starts have no business here */
    setsockopt(channel->fd, SOL_SOCKET, SO_RCVTIMEO, &tick, sizeof(tick));
}

bool channel_is_owner(const struct hermes_channel *channel)
{
    return getpid() == channel->owner;
}

bool channel_on_main_thread(const struct hermes_channel *channel)
{
    return pthread_equal(pthread_self(), channel->main_thread);
}

int hermes_channel_fd(const struct hermes_channel *channel)
{
    return channel->fd;
}

/* A pooled child may wait here for hours: no timeout, no wake-ups. */
static int frame_receive(struct hermes_channel *channel, struct frame *ret_frame)
{
    for (;;) {
        int r = frame_reader_next(&channel->reader, ret_frame);
        if (r != 0)
            return r < 0 ? r : 0;
        ssize_t n = frame_reader_fill(&channel->reader, channel->fd, 0);
        if (n == 0)
            return -ECONNRESET;
        if (n == -EAGAIN)
            poll(&(struct pollfd){.fd = channel->fd, .events = POLLIN}, 1, -1);
        else if (n < 0 && n != -EINTR)
            return (int)n;
    }
}

/* NUL-terminated for the caller's convenience; the length counts. */
static char *bytes_copy(const void *data, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    if (length > 0)
        memcpy(copy, data, length);
    copy[length] = '\0';
    return copy;
}

int hermes_channel_receive_run(struct hermes_channel *channel, char **ret_head,
                               size_t *ret_head_length, char **ret_body, size_t *ret_body_length)
{
    struct frame frame;
    int r = frame_receive(channel, &frame);
    if (r < 0)
        return r;
    if (frame.header.type != FRAME_RUN || frame.header.id != 0)
        return -EPROTO;
    _cleanup_free_ char *head = bytes_copy(frame.head, frame.header.head_bytes);
    _cleanup_free_ char *body = bytes_copy(frame.body, frame.header.body_bytes);
    if (!head || !body)
        return -ENOMEM;
    *ret_head_length = frame.header.head_bytes;
    *ret_body_length = frame.header.body_bytes;
    *ret_head = head;
    *ret_body = body;
    head = body = NULL;
    return 0;
}

/* Of this process and the children that it has waited for. The host looks as well, but a process
 * that leaves has no peak in /proc any more. */
static int usage_format(char *text, size_t size)
{
    struct rusage own, children;
    long long user, system;

    if (getrusage(RUSAGE_SELF, &own) < 0 || getrusage(RUSAGE_CHILDREN, &children) < 0)
        return -errno;
    user = (own.ru_utime.tv_sec + children.ru_utime.tv_sec) * 1000000ll + own.ru_utime.tv_usec +
           children.ru_utime.tv_usec;
    system = (own.ru_stime.tv_sec + children.ru_stime.tv_sec) * 1000000ll + own.ru_stime.tv_usec +
             children.ru_stime.tv_usec;
    snprintf(text, size, ",\"usage\":[%lld,%lld,%ld]", user, system,
             own.ru_maxrss > children.ru_maxrss ? own.ru_maxrss : children.ru_maxrss);
    return 0;
}

int hermes_channel_send_done(struct hermes_channel *channel, int exit_code, int signal)
{
    struct frame_header header = {.type = FRAME_DONE};
    char head[192], usage[96] = "", killed[32] = "";

    if (!channel_is_owner(channel))
        return -EPERM;
    (void)usage_format(usage, sizeof usage);
    if (signal > 0)
        snprintf(killed, sizeof killed, ",\"signal\":%d", signal);
    snprintf(head, sizeof head, "{\"exit_code\":%d%s%s}", exit_code, killed, usage);
    pthread_mutex_lock(&channel->lock);
    int r = channel->failure;
    if (r == 0)
        r = channel_out_append(channel, &header, head);
    pthread_mutex_unlock(&channel->lock);
    return r < 0 ? r : channel_drain(channel, -1);
}
