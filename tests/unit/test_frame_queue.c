/* SPDX-License-Identifier: MIT
 *
 * The outbound queue. A SEQPACKET pair shows each sendmsg as one packet; a STREAM pair that nobody
 * reads fills up.
 */
#include "base/fd.h"
#include "fault.h"
#include "unit.h"
#include "wire/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define LARGE 100000

static int stream[2], packets[2];
static char filler[LARGE];

static int setup(void **state)
{
    (void)state;
    memset(filler, 'f', sizeof(filler));
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) |
           socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, packets);
}

static int teardown(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        fd_close(stream[i]);
        fd_close(packets[i]);
    }
    return 0;
}

static int push(struct frame_queue *queue, uint64_t id, size_t body)
{
    struct frame_header header = {.id = id, .type = FRAME_REPLY};
    struct frame_part head = {"{}", 2};
    struct frame_part parts[2] = {{filler, body / 2}, {filler, body - body / 2}};
    return frame_queue_push(queue, &header, &head, parts, 2);
}

static size_t packet_take(void)
{
    static char data[1 << 20];
    ssize_t n = recv(packets[1], data, sizeof(data), MSG_DONTWAIT);
    return n < 0 ? 0 : (size_t)n;
}

static void test_empty(void **state)
{
    (void)state;
    struct frame_queue queue;
    frame_queue_init(&queue, 100);
    assert_int_equal(frame_queue_flush(&queue, stream[0], 0), 1);
    assert_int_equal(frame_queue_flush(&queue, -1, 0), 1); /* asks nobody */
    frame_queue_deinit(&queue);
    frame_queue_deinit(&queue);
}

static void test_small_frames_leave_in_one_send(void **state)
{
    (void)state;
    struct frame_queue queue;
    frame_queue_init(&queue, 1 << 20);
    size_t frame = FRAME_HEADER_BYTES + 2 + 50;
    long before = fault_live();
    for (uint64_t id = 0; id < 200; id++)
        assert_int_equal(push(&queue, id, 50), 0);
    assert_int_equal(fault_live() - before, 1); /* all in one block */
    assert_int_equal(queue.bytes, 200 * frame);
    assert_int_equal(frame_queue_flush(&queue, packets[0], 0), 1);
    assert_int_equal(queue.bytes, 0);
    assert_int_equal(fault_live(), before);
    assert_int_equal(packet_take(), 200 * frame);
    assert_int_equal(packet_take(), 0);
    /* Two blocks and a large frame: still one. */
    for (uint64_t id = 0; id < 300; id++)
        assert_int_equal(push(&queue, id, id == 150 ? LARGE / 2 : 50), 0);
    assert_int_equal(frame_queue_flush(&queue, packets[0], 0), 1);
    assert_int_equal(packet_take(), 299 * frame + FRAME_HEADER_BYTES + 2 + LARGE / 2);
    frame_queue_deinit(&queue);
}

static void test_slice(void **state)
{
    (void)state;
    struct frame_queue queue;
    frame_queue_init(&queue, 1 << 20);
    for (uint64_t id = 0; id < 100; id++)
        assert_int_equal(push(&queue, id, 1000), 0);
    size_t left = queue.bytes;
    while (left > 0) {
        size_t slice = left < 20000 ? left : 20000;
        assert_int_equal(frame_queue_flush(&queue, packets[0], 20000), left == slice);
        assert_int_equal(packet_take(), slice);
        left -= slice;
        assert_int_equal(queue.bytes, left);
    }
    frame_queue_deinit(&queue);
}

static void test_cap(void **state)
{
    (void)state;
    struct frame_queue queue;
    size_t frame = FRAME_HEADER_BYTES + 2 + 100;
    frame_queue_init(&queue, 2 * frame);
    assert_int_equal(push(&queue, 1, 100), 0);
    assert_int_equal(push(&queue, 2, 101), -ENOBUFS);
    assert_int_equal(push(&queue, 2, 100), 0);
    assert_int_equal(push(&queue, 3, 0), -ENOBUFS);
    assert_int_equal(frame_queue_flush(&queue, packets[0], frame), 0);
    assert_int_equal(push(&queue, 3, 100), 0); /* room again */
    frame_queue_deinit(&queue);
    struct frame_header header = {.type = FRAME_REPLY};
    struct frame_part head = {filler, FRAME_HEAD_BYTES_MAX + 1};
    assert_int_equal(frame_queue_push(&queue, &header, &head, NULL, 0), -EMSGSIZE);
}

/* Queue and reader against each other over a full socket: every frame, whole and in order. */
static void check_through(size_t slice)
{
    enum { FRAMES = 300 };
    struct frame_queue queue;
    struct frame_reader reader;
    frame_queue_init(&queue, 128u << 20);
    frame_reader_init(&reader, FRAME_BYTES_MAX);
    for (uint64_t id = 0; id < FRAMES; id++)
        assert_int_equal(push(&queue, id, id * 7919 % LARGE), 0);
    for (uint64_t id = 0; id < FRAMES;) {
        int rc = frame_queue_flush(&queue, stream[0], slice);
        assert_int_equal(rc, queue.bytes == 0);
        struct frame frame;
        while ((rc = frame_reader_next(&reader, &frame)) == 1) {
            assert_int_equal(frame.header.id, id);
            assert_int_equal(frame.header.body_bytes, id * 7919 % LARGE);
            assert_memory_equal(frame.head, "{}", 2);
            assert_memory_equal(frame.body, filler, frame.header.body_bytes);
            id++;
        }
        assert_int_equal(rc, 0);
        frame_reader_fill(&reader, stream[1], MSG_DONTWAIT);
    }
    assert_int_equal(queue.bytes, 0);
    frame_queue_deinit(&queue);
    frame_reader_deinit(&reader);
}

static void test_through_a_full_socket(void **state)
{
    (void)state;
    check_through(0);
    check_through(1000);
    check_through(65537);
}

static void test_nobody_reads(void **state)
{
    (void)state;
    struct frame_queue queue;
    frame_queue_init(&queue, 16 << 20);
    for (uint64_t id = 0; id < 100; id++)
        assert_int_equal(push(&queue, id, LARGE), 0);
    assert_int_equal(frame_queue_flush(&queue, stream[0], 0), 0); /* the socket blocks; we do not */
    size_t waiting = queue.bytes;
    assert_true(waiting > 0);
    assert_int_equal(frame_queue_flush(&queue, stream[0], 0), 0);
    assert_int_equal(queue.bytes, waiting);
    stream[1] = fd_close(stream[1]);
    assert_true(frame_queue_flush(&queue, stream[0], 0) < 0); /* and no SIGPIPE */
    frame_queue_deinit(&queue);
    assert_int_equal(queue.bytes, 0);
}

/* Bodies that are handed over are sent from where they are, in the order of the frames. */
static void test_owned(void **state)
{
    (void)state;
    struct frame_queue queue;
    struct frame_header header = {.id = 2, .type = FRAME_REPLY};
    struct frame_part head = {"{}", 2};
    char *memory = memset(malloc(LARGE), 'o', LARGE);
    struct frame_part parts[3] = {{memory, 10}, {memory + 20, 0}, {memory + 30, 5000}};
    long before = fault_live();
    frame_queue_init(&queue, 1 << 20);
    assert_int_equal(push(&queue, 1, 50), 0);
    assert_int_equal(frame_queue_push_owned(&queue, &header, &head, parts, 3,
                                            (struct frame_memory){memory, LARGE}),
                     0);
    assert_int_equal(push(&queue, 3, 50), 0);
    size_t small = FRAME_HEADER_BYTES + 2 + 50, bytes = 2 * small + FRAME_HEADER_BYTES + 2 + 5010;
    assert_int_equal(queue.bytes, bytes);
    assert_int_equal(frame_queue_flush(&queue, packets[0], 0), 1);
    assert_int_equal(fault_live(), before - 1);
    char data[8192];
    assert_int_equal(recv(packets[1], data, sizeof(data), MSG_DONTWAIT), bytes);
    for (size_t i = 0; i < 5010; i++)
        assert_int_equal(data[small + FRAME_HEADER_BYTES + 2 + i], 'o');
    assert_int_equal(data[bytes - 1], 'f');
    /* Refused: it stays ours. Not sent: it goes with the queue. */
    memory = malloc(LARGE);
    parts[0] = (struct frame_part){memory, LARGE};
    queue.bytes_max = LARGE;
    assert_int_equal(frame_queue_push_owned(&queue, &header, &head, parts, 1,
                                            (struct frame_memory){memory, LARGE}),
                     -ENOBUFS);
    queue.bytes_max = 2 * LARGE;
    assert_int_equal(frame_queue_push_owned(&queue, &header, &head, parts, 1,
                                            (struct frame_memory){memory, LARGE}),
                     0);
    frame_queue_deinit(&queue);
    assert_int_equal(fault_live(), before - 1);
}

static int scenario(void)
{
    static const size_t sizes[] = {10, 20000, 10, 50000, 10};
    struct frame_queue queue;
    frame_queue_init(&queue, 1 << 20);
    int rc = 0;
    for (size_t i = 0; i < COUNT(sizes) && rc == 0; i++) {
        size_t before = queue.bytes;
        rc = push(&queue, i, sizes[i]);
        if (rc < 0)
            assert_int_equal(queue.bytes, before);
    }
    void *memory = rc == 0 ? malloc(30000) : NULL;
    struct frame_header header = {.type = FRAME_REPLY};
    struct frame_part head = {"{}", 2}, part = {memory, 30000};
    if (rc == 0)
        rc = memory ? frame_queue_push_owned(&queue, &header, &head, &part, 1,
                                             (struct frame_memory){memory, 30000})
                    : -ENOMEM;
    if (rc < 0)
        free(memory);
    frame_queue_deinit(&queue);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    fault_sweep(scenario);
}

#define queue_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        queue_test(test_empty),
        queue_test(test_small_frames_leave_in_one_send),
        queue_test(test_slice),
        queue_test(test_cap),
        queue_test(test_through_a_full_socket),
        queue_test(test_nobody_reads),
        queue_test(test_owned),
        queue_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
