/* SPDX-License-Identifier: MIT
 *
 * The frame reader on any bytes, cut into any pieces: it must hand out exactly the frames that a
 * walk over the whole input finds, and fail where that walk fails. The first byte of the input
 * chooses the pieces.
 */
#include "base/fd.h"
#include "fuzz.h"
#include "wire/frame.h"

#include <sys/socket.h>

#define FRAME_CAP 100000

struct walk {
    const uint8_t *data;
    size_t size;
    size_t at;
};

/* 1: frame; 0: the input ends first; negative: violation. */
static int walk_next(struct walk *walk, struct frame_header *ret_header, const uint8_t **ret_head)
{
    size_t left = walk->size - walk->at;
    if (left < FRAME_HEADER_BYTES)
        return 0;
    int rc = frame_header_decode(walk->data + walk->at, FRAME_CAP, ret_header);
    if (rc < 0)
        return rc;
    size_t bytes = (size_t)FRAME_HEADER_BYTES + ret_header->head_bytes + ret_header->body_bytes;
    if (left < bytes)
        return 0;
    *ret_head = walk->data + walk->at + FRAME_HEADER_BYTES;
    walk->at += bytes;
    return 1;
}

/* Takes all frames that the reader has. Returns its last answer: 0 or negative. */
static int frames_take(struct frame_reader *reader, struct walk *walk)
{
    struct frame frame;
    int rc;
    while ((rc = frame_reader_next(reader, &frame)) == 1) {
        struct frame_header header;
        const uint8_t *head = NULL;
        CHECK(walk_next(walk, &header, &head) == 1);
        unsigned char mine[FRAME_HEADER_BYTES], theirs[FRAME_HEADER_BYTES];
        frame_header_encode(&header, mine); /* the structs have padding */
        frame_header_encode(&frame.header, theirs);
        CHECK(memcmp(mine, theirs, sizeof(mine)) == 0);
        CHECK(memcmp(head, frame.head, header.head_bytes) == 0);
        CHECK(memcmp(head + header.head_bytes, frame.body, header.body_bytes) == 0);
    }
    return rc;
}

static void stream_check(const uint8_t *data, size_t size, size_t piece)
{
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    struct frame_reader reader;
    struct walk walk = {.data = data, .size = size};
    frame_reader_init(&reader, FRAME_CAP);
    int rc = 0;
    for (size_t at = 0; at < size && rc == 0;) {
        size_t length = size - at < piece ? size - at : piece;
        CHECK(fd_write_all(pair[0], data + at, length) == 0);
        at += length;
        for (ssize_t n = 0, got = 0; got < (ssize_t)length; got += n) {
            n = frame_reader_fill(&reader, pair[1], MSG_DONTWAIT);
            CHECK(n > 0);
            rc = frames_take(&reader, &walk);
            if (rc < 0)
                break;
        }
    }
    struct frame_header header;
    const uint8_t *head;
    CHECK(walk_next(&walk, &header, &head) == rc);
    CHECK(rc < 0 || frame_reader_is_mid_frame(&reader) == (walk.at < size));
    frame_reader_deinit(&reader);
    fd_close(pair[0]);
    fd_close(pair[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t piece = data[0] == 255 ? 60000 : (size_t)data[0] * data[0] / 16 + 1;
    if (size / piece > 500) /* thousands of system calls would say nothing more */
        piece = size / 500 + 1;
    stream_check(data + 1, size - 1, piece);
    return 0;
}
