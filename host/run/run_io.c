/* SPDX-License-Identifier: MIT
 *
 * Pipes and sockets of a run.
 */
#include "run/run_io.h"

#include "base/fd.h"
#include "run/core.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES        (64 * 1024)
#define STDERR_KEPT_BYTES 10000

enum { CHILD_INIT, CHILD_CALL, CHILD_OUT, CHILD_ERR };

static int pair_make(int type, int *ret_host, int *ret_child)
{
    int pair[2];

    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    *ret_child = fd_above_stdio(pair[1]);
    *ret_host = fd_above_stdio(pair[0]);
    return *ret_child < 0 ? *ret_child : *ret_host < 0 ? *ret_host : fd_set_nonblocking(*ret_host);
}

static int pipe_make(struct run_stream *stream, int *ret_child)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) < 0)
        return -errno;
    *ret_child = fd_above_stdio(fds[1]);
    stream->fd = fd_above_stdio(fds[0]);
    return stream->fd < 0   ? stream->fd
           : *ret_child < 0 ? *ret_child
                            : fd_set_nonblocking(stream->fd);
}

int run_io_open(struct run *run, int *ret_call_fd)
{
    int r;

    headtail_init(&run->streams[0].kept, run->policy.output_bytes);
    headtail_init(&run->streams[1].kept, STDERR_KEPT_BYTES);
    run->streams[0].number = RUN_STDOUT;
    run->streams[1].number = RUN_STDERR;
    r = pair_make(SOCK_SEQPACKET, &run->init_fd, &run->child_fds[CHILD_INIT]);
    if (r == 0)
        r = pipe_make(&run->streams[0], &run->child_fds[CHILD_OUT]);
    if (r == 0)
        r = pipe_make(&run->streams[1], &run->child_fds[CHILD_ERR]);
    if (r == 0)
        r = pair_make(SOCK_STREAM, ret_call_fd, &run->child_fds[CHILD_CALL]);
    return r;
}

/* Takes one piece. 1: there was something; 0: nothing now; -1: the stream has ended. */
static int stream_read(struct run *run, struct run_stream *stream)
{
    char piece[READ_BYTES];
    ssize_t n = read(stream->fd, piece, sizeof piece);

    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (n == 0)
        return -1;
    headtail_append(&stream->kept, piece, (size_t)n);
    run_emit(run, &(struct run_event){.type = RUN_EVENT_OUTPUT,
                                      .stream = stream->number,
                                      .data = piece,
                                      .length = (size_t)n});
    return 1;
}

static void stream_close(struct run *run, struct run_stream *stream)
{
    loop_remove(&run->core->loop, &stream->source);
    stream->fd = fd_close(stream->fd);
}

static void stream_ready(struct loop_source *source, uint32_t events)
{
    struct run *run = source->user;
    struct run_stream *stream = &run->streams[source == &run->streams[1].source];

    (void)events;
    if (stream_read(run, stream) < 0)
        stream_close(run, stream); /* the script closed it; the run goes on */
}

static void init_ready(struct loop_source *source, uint32_t events)
{
    struct run *run = source->user;
    struct control_message message;
    int r = control_receive(run->init_fd, MSG_DONTWAIT, &message);

    (void)events;
    if (r == -EAGAIN)
        return;
    if (r <= 0) {
        run_init_lost(run);
        return;
    }
    control_close_fds(&message);
    run_init_message(run, &message.packet);
}

int run_io_watch(struct run *run)
{
    int r;

    run->init_source =
        (struct loop_source){.fd = run->init_fd, .events = EPOLLIN, .fn = init_ready, .user = run};
    r = loop_add(&run->core->loop, &run->init_source);
    for (int i = 0; r == 0 && i < 2; i++) {
        run->streams[i].source = (struct loop_source){
            .fd = run->streams[i].fd, .events = EPOLLIN, .fn = stream_ready, .user = run};
        r = loop_add(&run->core->loop, &run->streams[i].source);
    }
    return r;
}

void run_io_drain(struct run *run)
{
    for (int i = 0; i < 2; i++) {
        struct run_stream *stream = &run->streams[i];
        uint64_t limit = stream->kept.total;
        int waiting = 0;

        /* No more than what waits now (a pipe holds at most 1 MiB): writers may go on. */
        if (stream->fd >= 0)
            ioctl(stream->fd, FIONREAD, &waiting);
        limit += (uint64_t)waiting;
        while (stream->fd >= 0 && stream->kept.total < limit && stream_read(run, stream) > 0)
            ;
    }
}

void run_io_close(struct run *run)
{
    loop_remove(&run->core->loop, &run->init_source);
    run->init_fd = fd_close(run->init_fd);
    stream_close(run, &run->streams[0]);
    stream_close(run, &run->streams[1]);
}

void run_io_close_child_ends(struct run *run)
{
    for (int i = 0; i < 4; i++)
        run->child_fds[i] = fd_close(run->child_fds[i]);
}

int run_io_send_init(struct run *run, unsigned type, long value, int fd)
{
    struct control_message message = {
        .packet = {.type = type, .run = run->number, .values = {value}},
        .fds = {fd},
        .fd_count = fd >= 0 ? 1 : 0,
    };

    return run->init_fd < 0 ? -EPIPE : control_send(run->init_fd, &message);
}
