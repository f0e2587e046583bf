/* SPDX-License-Identifier: MIT
 *
 * A framed socket in the loop: a slow reader makes it wait, a closed one is noticed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fd.h"
#include "run/channel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

struct bench {
    struct loop loop;
    struct channel channel;
    int peer;
    int frames;
    uint32_t last_events;
};

static void ready(struct loop_source *source, uint32_t events)
{
    struct bench *bench = source->user;
    struct frame frame;

    bench->last_events = events;
    if (events & EPOLLOUT)
        channel_flush(&bench->channel);
    if (!(events & EPOLLIN))
        return;
    if (frame_reader_fill(&bench->channel.reader, bench->channel.fd, 0) <= 0) {
        channel_close(&bench->channel);
        return;
    }
    while (frame_reader_next(&bench->channel.reader, &frame) == 1)
        bench->frames++;
}

static void bench_begin(struct bench *bench)
{
    int pair[2];

    memset(bench, 0, sizeof *bench);
    assert_int_equal(loop_init(&bench->loop), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    bench->peer = pair[1];
    channel_init(&bench->channel, &bench->loop);
    assert_int_equal(channel_open(&bench->channel, pair[0], ready, bench), 0);
}

static void bench_end(struct bench *bench)
{
    channel_close(&bench->channel);
    channel_close(&bench->channel);
    fd_close(bench->peer);
    loop_deinit(&bench->loop);
}

static void push(struct bench *bench, size_t body_bytes)
{
    struct frame_header header = {.type = FRAME_REPLY, .id = 1};
    struct frame_part head = {"{}", 2}, body = {calloc(1, body_bytes + 1), body_bytes};

    assert_int_equal(frame_queue_push(&bench->channel.queue, &header, &head, &body, 1), 0);
    free((void *)body.data);
}

static void a_large_frame_leaves_as_the_reader_reads(void **state)
{
    struct bench bench;
    size_t total = 4 << 20, seen = 0;
    char piece[65536];

    (void)state;
    bench_begin(&bench);
    push(&bench, total);
    assert_int_equal(channel_flush(&bench.channel), 0);
    assert_true(bench.channel.queue.bytes > 0);
    while (seen < total + FRAME_HEADER_BYTES + 2) {
        ssize_t n = recv(bench.peer, piece, sizeof piece, MSG_DONTWAIT);

        if (n > 0)
            seen += (size_t)n;
        else
            assert_true(loop_dispatch(&bench.loop, 1000, 0) > 0);
    }
    loop_dispatch(&bench.loop, 0, 0);
    assert_int_equal(bench.channel.queue.bytes, 0);
    assert_int_equal(loop_dispatch(&bench.loop, 0, 0), 0); /* no busy loop on a writable socket */
    bench_end(&bench);
}

static void not_reading_leaves_frames_in_the_socket(void **state)
{
    struct frame_header header = {.type = FRAME_CALL, .id = 1};
    struct frame_part head = {"{}", 2};
    struct bench bench;

    (void)state;
    bench_begin(&bench);
    channel_set_reading(&bench.channel, false);
    assert_int_equal(frame_send(bench.peer, &header, &head, NULL, 0), 0);
    assert_int_equal(loop_dispatch(&bench.loop, 0, 0), 0);
    assert_int_equal(bench.frames, 0);
    channel_set_reading(&bench.channel, true);
    assert_int_equal(loop_dispatch(&bench.loop, 1000, 0), 1);
    assert_int_equal(bench.frames, 1);
    bench_end(&bench);
}

static void a_closed_peer_closes_the_channel(void **state)
{
    struct bench bench;

    (void)state;
    bench_begin(&bench);
    bench.peer = fd_close(bench.peer);
    assert_int_equal(loop_dispatch(&bench.loop, 1000, 0), 1);
    assert_int_equal(bench.channel.fd, -1);
    assert_true(channel_flush(&bench.channel) < 0);
    bench_end(&bench);
}

/* A socket whose peer reads no more is always ready to be written: it must not be asked again. */
static void a_peer_that_reads_no_more_is_forgotten(void **state)
{
    struct bench bench;
    char piece[65536];

    (void)state;
    bench_begin(&bench);
    push(&bench, 4 << 20);
    assert_int_equal(channel_flush(&bench.channel), 0);
    assert_true(bench.channel.source.events & EPOLLOUT);
    shutdown(bench.peer, SHUT_RD);
    while (recv(bench.peer, piece, sizeof piece, MSG_DONTWAIT) > 0)
        ;
    loop_dispatch(&bench.loop, 1000, 0);
    assert_int_equal(loop_dispatch(&bench.loop, 0, 0), 0);
    assert_int_equal(bench.channel.queue.bytes, 0);
    assert_int_equal(send(bench.peer, "x", 1, MSG_NOSIGNAL), 1); /* it is still listened to */
    assert_int_equal(loop_dispatch(&bench.loop, 1000, 0), 1);
    bench_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_frame_leaves_as_the_reader_reads),
        cmocka_unit_test(not_reading_leaves_frames_in_the_socket),
        cmocka_unit_test(a_closed_peer_closes_the_channel),
        cmocka_unit_test(a_peer_that_reads_no_more_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
