/* SPDX-License-Identifier: MIT
 *
 * Frame headers, the reader fed in every way a stream can be cut, and the blocking sender.
 */
#include "base/fd.h"
#include "fault.h"
#include "unit.h"
#include "wire/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

static int pair[2];

static int setup(void **state)
{
    (void)state;
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
}

static int teardown(void **state)
{
    (void)state;
    pair[0] = fd_close(pair[0]);
    pair[1] = fd_close(pair[1]);
    return 0;
}

/* Byte i of frame id: so that a frame in the wrong place or order shows. */
static unsigned char pattern(uint64_t id, size_t i)
{
    return (unsigned char)(id * 31 + i + i / 251);
}

/* A whole frame as bytes. */
static void frame_build(struct buf *buf, uint64_t id, size_t head, size_t body)
{
    struct frame_header header = {
        .head_bytes = (uint32_t)head, .body_bytes = (uint32_t)body, .id = id, .type = FRAME_CALL};
    assert_int_equal(buf_reserve(buf, FRAME_HEADER_BYTES + head + body), 0);
    frame_header_encode(&header, buf->data + buf->length);
    buf->length += FRAME_HEADER_BYTES;
    for (size_t i = 0; i < head + body; i++)
        buf->data[buf->length++] = pattern(id, i);
}

static void frame_check(const struct frame *frame, uint64_t id, size_t head, size_t body)
{
    assert_int_equal(frame->header.id, id);
    assert_int_equal(frame->header.type, FRAME_CALL);
    assert_int_equal(frame->header.head_bytes, head);
    assert_int_equal(frame->header.body_bytes, body);
    assert_ptr_equal(frame->body, frame->head + head);
    for (size_t i = 0; i < head + body; i++) {
        if ((unsigned char)frame->head[i] != pattern(id, i))
            fail_msg("frame %d differs at byte %zu", (int)id, i);
    }
}

static void test_header_layout(void **state)
{
    (void)state;
    struct frame_header header = {.head_bytes = 0x1122,
                                  .body_bytes = 0x01020304,
                                  .id = 0x1112131415161718,
                                  .type = FRAME_REPLY,
                                  .flags = FRAME_ERROR};
    static const unsigned char expected[FRAME_HEADER_BYTES] = {
        0x22, 0x11, 0, 0, 4, 3, 2, 1, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 3, 0, 1, 0};
    unsigned char bytes[FRAME_HEADER_BYTES];
    memset(bytes, 0xff, sizeof(bytes));
    frame_header_encode(&header, bytes);
    assert_memory_equal(bytes, expected, sizeof(bytes));
    struct frame_header back = {0};
    assert_int_equal(frame_header_decode(bytes, FRAME_BYTES_MAX, &back), 0);
    assert_int_equal(back.head_bytes, header.head_bytes);
    assert_int_equal(back.body_bytes, header.body_bytes);
    assert_int_equal(back.id, header.id);
    assert_int_equal(back.type, header.type);
    assert_int_equal(back.flags, header.flags);
}

static int decode(uint32_t head, uint32_t body, uint16_t type, uint16_t flags, uint32_t cap)
{
    struct frame_header header = {
        .head_bytes = head, .body_bytes = body, .type = type, .flags = flags};
    unsigned char bytes[FRAME_HEADER_BYTES];
    frame_header_encode(&header, bytes);
    return frame_header_decode(bytes, cap, &header);
}

static void test_header_caps(void **state)
{
    (void)state;
    uint32_t cap = FRAME_BYTES_MAX;
    assert_int_equal(decode(0, 0, FRAME_CALL, 0, cap), 0);
    assert_int_equal(decode(FRAME_HEAD_BYTES_MAX, 0, FRAME_CALL, 0, cap), 0);
    assert_int_equal(decode(FRAME_HEAD_BYTES_MAX + 1, 0, FRAME_CALL, 0, cap), -EMSGSIZE);
    assert_int_equal(decode(10, cap - 10, FRAME_CALL, 0, cap), 0);
    assert_int_equal(decode(10, cap - 9, FRAME_CALL, 0, cap), -EMSGSIZE);
    assert_int_equal(decode(UINT32_MAX, UINT32_MAX, FRAME_CALL, 0, cap), -EMSGSIZE);
    assert_int_equal(decode(2, UINT32_MAX, FRAME_CALL, 0, cap), -EMSGSIZE); /* sum wraps to 1 */
    assert_int_equal(decode(2, UINT32_MAX, FRAME_CALL, 0, UINT32_MAX), -EMSGSIZE);
    assert_int_equal(decode(1, 0, FRAME_CALL, 0, 0), -EMSGSIZE);
}

static void test_header_types_and_flags(void **state)
{
    (void)state;
    for (uint32_t type = 0; type <= UINT16_MAX; type++) {
        bool known = type >= FRAME_RUN && type <= FRAME_DONE;
        int rc = decode(0, 0, (uint16_t)type, 0, 100);
        assert_int_equal(rc, known ? 0 : -EPROTO);
        if (!known)
            continue;
        bool body = type == FRAME_RUN || type == FRAME_CALL || type == FRAME_REPLY;
        for (uint32_t flags = 1; flags <= UINT16_MAX; flags++) {
            uint32_t allowed =
                (body ? FRAME_JSON_BODY : 0u) | (type == FRAME_REPLY ? FRAME_ERROR : 0u);
            rc = decode(0, 0, (uint16_t)type, (uint16_t)flags, 100);
            assert_int_equal(rc, flags & ~allowed ? -EPROTO : 0);
        }
    }
    for (int i = 20; i < FRAME_HEADER_BYTES; i++) {
        unsigned char bytes[FRAME_HEADER_BYTES] = {[16] = FRAME_CALL};
        bytes[i] = 1;
        struct frame_header header;
        assert_int_equal(frame_header_decode(bytes, 100, &header), -EPROTO);
    }
}

static void test_byte_by_byte(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{2, 0}, {0, 0}, {30, 100}, {0, 7}, {1, 1}};
    _cleanup_buf_ struct buf bytes = BUF_INIT(0);
    for (size_t i = 0; i < COUNT(sizes); i++)
        frame_build(&bytes, i, sizes[i][0], sizes[i][1]);
    struct frame_reader reader;
    frame_reader_init(&reader, 1000);
    size_t got = 0, in_frame = 0;
    for (size_t i = 0; i < bytes.length; i++) {
        struct frame frame;
        assert_int_equal(frame_reader_next(&reader, &frame), 0);
        assert_int_equal(frame_reader_is_mid_frame(&reader), in_frame > 0);
        assert_int_equal(write(pair[0], bytes.data + i, 1), 1);
        assert_int_equal(frame_reader_fill(&reader, pair[1], 0), 1);
        in_frame++;
        if (in_frame < FRAME_HEADER_BYTES + sizes[got][0] + sizes[got][1])
            continue;
        assert_int_equal(frame_reader_next(&reader, &frame), 1);
        frame_check(&frame, got, sizes[got][0], sizes[got][1]);
        got++;
        in_frame = 0;
    }
    assert_int_equal(got, COUNT(sizes));
    assert_int_equal(frame_reader_fill(&reader, pair[1], MSG_DONTWAIT), -EAGAIN);
    pair[0] = fd_close(pair[0]);
    assert_int_equal(frame_reader_fill(&reader, pair[1], 0), 0);
    frame_reader_deinit(&reader);
}

static void test_many_frames_in_one_recv(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf bytes = BUF_INIT(0);
    for (uint64_t id = 0; id < 500; id++)
        frame_build(&bytes, id, 40, 20);
    assert_int_equal(fd_write_all(pair[0], bytes.data, bytes.length), 0);
    struct frame_reader reader;
    struct frame frame;
    frame_reader_init(&reader, FRAME_BYTES_MAX);
    assert_int_equal(frame_reader_fill(&reader, pair[1], 0), (int)bytes.length);
    for (uint64_t id = 0; id < 500; id++) {
        assert_false(frame_reader_is_mid_frame(&reader));
        assert_int_equal(frame_reader_next(&reader, &frame), 1);
        frame_check(&frame, id, 40, 20);
    }
    assert_int_equal(frame_reader_next(&reader, &frame), 0);
    assert_false(frame_reader_is_mid_frame(&reader));
    frame_reader_deinit(&reader);
}

/* Sends bytes from a child, so that this process may read at its own pace. */
static pid_t feeder_start(const struct buf *bytes)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(pair[1]);
        _exit(fd_write_all(pair[0], bytes->data, bytes->length) == 0 ? 0 : 1);
    }
    pair[0] = fd_close(pair[0]);
    return pid;
}

static void feeder_join(pid_t pid)
{
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

static void test_largest_frame_is_read_in_place_and_given_back(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf bytes = BUF_INIT(0);
    size_t head = 1000, body = FRAME_BYTES_MAX - head;
    frame_build(&bytes, 1, 10, 10);
    frame_build(&bytes, 2, head, body);
    frame_build(&bytes, 3, 10, 10);
    pid_t pid = feeder_start(&bytes);
    struct frame_reader reader;
    struct frame frame;
    frame_reader_init(&reader, FRAME_BYTES_MAX);
    int moved = 0;
    const unsigned char *place = NULL;
    for (uint64_t id = 1; id <= 3;) {
        int rc = frame_reader_next(&reader, &frame);
        assert_true(rc >= 0);
        if (rc == 1) {
            frame_check(&frame, id, id == 2 ? head : 10, id == 2 ? body : 10);
            id++;
            continue;
        }
        if (id == 3) /* the large buffer is gone before the next byte is read */
            assert_true(reader.buf.capacity <= 64 * 1024);
        assert_true(frame_reader_fill(&reader, pair[1], 0) > 0);
        moved += reader.buf.data != place;
        place = reader.buf.data;
        assert_true(reader.buf.capacity <= FRAME_HEADER_BYTES + FRAME_BYTES_MAX);
    }
    assert_true(moved <= 4); /* chunk, frame, chunk: never copied while it grows */
    feeder_join(pid);
    frame_reader_deinit(&reader);
}

static uint32_t random_next(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

static size_t random_size(uint32_t *random)
{
    static const size_t sizes[] = {0, 1, 100, 5000, 65000, 65536, 65560, 140000, 300000, 1000000};
    return sizes[random_next(random) % COUNT(sizes)] + random_next(random) % 40;
}

static void check_random_stream(uint32_t seed)
{
    enum { FRAMES = 40 };
    size_t sizes[FRAMES][2];
    uint32_t random = seed;
    _cleanup_buf_ struct buf bytes = BUF_INIT(0);
    for (uint64_t id = 0; id < FRAMES; id++) {
        sizes[id][0] = random_next(&random) % 2000;
        sizes[id][1] = random_size(&random);
        frame_build(&bytes, id, sizes[id][0], sizes[id][1]);
    }
    pid_t pid = feeder_start(&bytes);
    struct frame_reader reader;
    frame_reader_init(&reader, 2000000);
    for (uint64_t id = 0; id < FRAMES;) {
        struct frame frame;
        int rc = frame_reader_next(&reader, &frame);
        assert_true(rc >= 0);
        if (rc == 1) {
            frame_check(&frame, id, sizes[id][0], sizes[id][1]);
            id++;
        } else {
            assert_true(frame_reader_fill(&reader, pair[1], 0) > 0);
        }
    }
    assert_int_equal(frame_reader_fill(&reader, pair[1], 0), 0);
    feeder_join(pid);
    frame_reader_deinit(&reader);
}

static void test_random_streams(void **state)
{
    for (uint32_t seed = 1; seed <= 8; seed++) {
        teardown(state);
        assert_int_equal(setup(state), 0);
        check_random_stream(seed);
    }
}

static void test_reader_that_fills_without_taking_frames(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf bytes = BUF_INIT(0);
    for (uint64_t id = 0; id < 2000; id++)
        frame_build(&bytes, id, 50, 50);
    pid_t pid = feeder_start(&bytes);
    struct frame_reader reader;
    frame_reader_init(&reader, 100);
    ssize_t n;
    while ((n = frame_reader_fill(&reader, pair[1], 0)) > 0)
        continue;
    assert_int_equal(n, -ENOBUFS); /* and not 0, which would be the end of file */
    assert_true(reader.buf.capacity <= 64 * 1024);
    for (uint64_t id = 0; id < 2000;) {
        struct frame frame;
        if (frame_reader_next(&reader, &frame) == 1)
            frame_check(&frame, id++, 50, 50);
        else
            assert_true(frame_reader_fill(&reader, pair[1], 0) > 0);
    }
    feeder_join(pid);
    frame_reader_deinit(&reader);
}

static void test_violation_is_final_and_allocates_nothing(void **state)
{
    (void)state;
    struct frame_header header = {
        .head_bytes = 10, .body_bytes = FRAME_BYTES_MAX, .type = FRAME_CALL};
    unsigned char bytes[FRAME_HEADER_BYTES];
    frame_header_encode(&header, bytes);
    struct frame_reader reader;
    struct frame frame;
    frame_reader_init(&reader, FRAME_BYTES_MAX);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(write(pair[0], bytes, sizeof(bytes)), sizeof(bytes));
        assert_int_equal(frame_reader_fill(&reader, pair[1], 0), sizeof(bytes));
        assert_int_equal(frame_reader_next(&reader, &frame), -EMSGSIZE);
        assert_false(frame_reader_is_mid_frame(&reader));
        assert_true(reader.buf.capacity <= 64 * 1024);
    }
    frame_reader_deinit(&reader);
}

static void test_garbage_is_refused(void **state)
{
    (void)state;
    static const char garbage[] = "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n";
    assert_int_equal(fd_write_all(pair[0], garbage, sizeof(garbage)), 0);
    struct frame_reader reader;
    struct frame frame;
    frame_reader_init(&reader, FRAME_BYTES_MAX);
    assert_true(frame_reader_fill(&reader, pair[1], 0) > 0);
    assert_int_equal(frame_reader_next(&reader, &frame), -EPROTO);
    frame_reader_deinit(&reader);
}

static void test_half_a_frame_then_the_end(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf bytes = BUF_INIT(0);
    frame_build(&bytes, 1, 100, 200000);
    struct frame_reader reader;
    struct frame frame;
    frame_reader_init(&reader, FRAME_BYTES_MAX);
    assert_int_equal(fd_write_all(pair[0], bytes.data, 1000), 0);
    pair[0] = fd_close(pair[0]);
    assert_true(frame_reader_fill(&reader, pair[1], 0) > 0);
    assert_true(frame_reader_is_mid_frame(&reader)); /* before and after the header is known */
    assert_int_equal(frame_reader_next(&reader, &frame), 0);
    assert_true(frame_reader_is_mid_frame(&reader));
    assert_int_equal(frame_reader_fill(&reader, pair[1], 0), 0);
    assert_int_equal(frame_reader_next(&reader, &frame), 0);
    frame_reader_deinit(&reader);
}

static void test_fds_on_the_channel_are_not_taken(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf bytes = BUF_INIT(0);
    frame_build(&bytes, 1, 2, 0);
    int fds[4] = {0}, before = fd_list(NULL, 0);
    assert_int_equal(fd_send_packet(pair[0], bytes.data, bytes.length, fds, 4), 0);
    struct frame_reader reader;
    struct frame frame;
    frame_reader_init(&reader, FRAME_BYTES_MAX);
    assert_int_equal(frame_reader_fill(&reader, pair[1], 0), (int)bytes.length);
    assert_int_equal(frame_reader_next(&reader, &frame), 1);
    assert_int_equal(fd_list(NULL, 0), before);
    frame_reader_deinit(&reader);
}

static void test_measure(void **state)
{
    (void)state;
    struct frame_header header = {0};
    struct frame_part head = {.length = FRAME_HEAD_BYTES_MAX};
    struct frame_part parts[3] = {{.length = FRAME_BYTES_MAX - FRAME_HEAD_BYTES_MAX}, {0}, {0}};
    assert_int_equal(frame_header_measure(&header, &head, parts, 3), 0);
    assert_int_equal(header.head_bytes + header.body_bytes, FRAME_BYTES_MAX);
    parts[2].length = 1;
    assert_int_equal(frame_header_measure(&header, &head, parts, 3), -EMSGSIZE);
    parts[2].length = SIZE_MAX;
    assert_int_equal(frame_header_measure(&header, &head, parts, 3), -EMSGSIZE);
    head.length++;
    assert_int_equal(frame_header_measure(&header, &head, NULL, 0), -EMSGSIZE);
    assert_int_equal(frame_send(pair[0], &header, &head, NULL, 0), -EMSGSIZE);
}

/* Sends one frame of part_count parts of part_bytes from a child and checks it here. */
static void check_send(size_t part_count, size_t part_bytes, bool nonblocking)
{
    size_t head = 10, body = part_count * part_bytes;
    _cleanup_buf_ struct buf bytes = BUF_INIT(0);
    frame_build(&bytes, 9, head, body);
    unsigned char *data = bytes.data + FRAME_HEADER_BYTES;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct frame_part *parts = calloc(part_count + 1, sizeof(*parts));
        for (size_t i = 0; i < part_count; i++)
            parts[i] = (struct frame_part){data + head + i * part_bytes, part_bytes};
        struct frame_part head_part = {data, head};
        struct frame_header header = {.id = 9, .type = FRAME_CALL};
        if (nonblocking)
            fd_set_nonblocking(pair[0]);
        _exit(frame_send(pair[0], &header, &head_part, parts, part_count) == 0 ? 0 : 1);
    }
    struct frame_reader reader;
    struct frame frame;
    frame_reader_init(&reader, FRAME_BYTES_MAX);
    while (frame_reader_next(&reader, &frame) == 0)
        assert_true(frame_reader_fill(&reader, pair[1], 0) > 0);
    frame_check(&frame, 9, head, body);
    frame_reader_deinit(&reader);
    feeder_join(pid);
}

static void test_send(void **state)
{
    (void)state;
    check_send(0, 0, false);
    check_send(1, 0, false);
    check_send(1, 5, false);
    check_send(61, 7, false); /* around the number of iovecs of one sendmsg */
    check_send(62, 7, false);
    check_send(63, 7, false);
    check_send(126, 7, false);
    check_send(300, 0, false);
    check_send(2000, 3, false);
    check_send(5, 1000000, false);
    check_send(5, 1000000, true);
    check_send(300, 20000, true);
}

static void test_send_to_nobody(void **state)
{
    (void)state;
    struct frame_header header = {.type = FRAME_DONE};
    struct frame_part head = {"{}", 2};
    pair[1] = fd_close(pair[1]);
    assert_int_equal(frame_send(pair[0], &header, &head, NULL, 0), -EPIPE); /* and no SIGPIPE */
    assert_int_equal(frame_send(-1, &header, &head, NULL, 0), -EBADF);
}

/* Reads what waits on pair[1] through the reader until a frame is there. */
static int scenario(void)
{
    static const size_t bodies[] = {10, 100000, 400000, 10};
    struct frame_reader reader;
    frame_reader_init(&reader, FRAME_BYTES_MAX);
    ssize_t rc = 0;
    for (size_t i = 0; i < COUNT(bodies) && rc >= 0; i++) {
        struct frame_header header = {
            .head_bytes = 10, .body_bytes = (uint32_t)bodies[i], .type = FRAME_CALL};
        static unsigned char bytes[FRAME_HEADER_BYTES + 10 + 400000];
        frame_header_encode(&header, bytes);
        size_t left = FRAME_HEADER_BYTES + 10 + bodies[i], sent = 0;
        struct frame frame;
        while (rc >= 0 && (rc = frame_reader_next(&reader, &frame)) == 0) {
            ssize_t n = send(pair[0], bytes + sent, left - sent, MSG_DONTWAIT);
            sent += n > 0 ? (size_t)n : 0;
            rc = frame_reader_fill(&reader, pair[1], MSG_DONTWAIT);
        }
    }
    frame_reader_deinit(&reader);
    char rest[4096];
    while (recv(pair[1], rest, sizeof(rest), MSG_DONTWAIT) > 0)
        continue;
    return rc < 0 ? (int)rc : 0;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    fault_sweep(scenario);
}

#define frame_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        frame_test(test_header_layout),
        frame_test(test_header_caps),
        frame_test(test_header_types_and_flags),
        frame_test(test_byte_by_byte),
        frame_test(test_many_frames_in_one_recv),
        frame_test(test_largest_frame_is_read_in_place_and_given_back),
        frame_test(test_random_streams),
        frame_test(test_reader_that_fills_without_taking_frames),
        frame_test(test_violation_is_final_and_allocates_nothing),
        frame_test(test_garbage_is_refused),
        frame_test(test_half_a_frame_then_the_end),
        frame_test(test_fds_on_the_channel_are_not_taken),
        frame_test(test_measure),
        frame_test(test_send),
        frame_test(test_send_to_nobody),
        frame_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
