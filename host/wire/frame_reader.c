/* SPDX-License-Identifier: MIT
 *
 * Reading frames from a stream. Small frames share one chunk; a frame that does not fit into it
 * gets a buffer of its size, is read straight into place, and the memory goes back after it.
 */
#include "wire/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define CHUNK_BYTES    (64u * 1024u)
#define LARGE_BYTES    (256u * 1024u) /* a buffer above it is not kept between frames */
#define ROOM_BYTES_MIN 4096u
#define FILL_BYTES_MAX (256u * 1024u)

void frame_reader_init(struct frame_reader *reader, uint32_t frame_bytes_max)
{
    size_t limit = (size_t)FRAME_HEADER_BYTES + frame_bytes_max;
    *reader = (struct frame_reader){.frame_bytes_max = frame_bytes_max};
    buf_init(&reader->buf, limit < CHUNK_BYTES ? CHUNK_BYTES : limit);
}

void frame_reader_deinit(struct frame_reader *reader)
{
    buf_deinit(&reader->buf);
    reader->start = 0;
    reader->have_header = false;
}

static size_t waiting_bytes(const struct frame_reader *reader)
{
    return reader->buf.length - reader->start;
}

static size_t frame_bytes(const struct frame_header *header)
{
    return (size_t)FRAME_HEADER_BYTES + header->head_bytes + header->body_bytes;
}

/* A large buffer goes back as soon as what waits fits into a chunk again. */
static int buffer_shrink(struct frame_reader *reader)
{
    struct buf fresh = BUF_INIT(reader->buf.limit);
    int rc = buf_reserve(&fresh, CHUNK_BYTES);
    if (rc == 0)
        rc = buf_append(&fresh, reader->buf.data + reader->start, waiting_bytes(reader));
    if (rc < 0)
        return rc;
    buf_deinit(&reader->buf);
    reader->buf = fresh;
    reader->start = 0;
    return 0;
}

/* Makes room at the end: for the rest of the frame when its size is known, else for some bytes.
 * A frame that is cut short moves to the front once, so that every byte is moved at most once. */
static int room_make(struct frame_reader *reader)
{
    size_t waiting = waiting_bytes(reader);
    size_t frame = reader->have_header ? frame_bytes(&reader->header) : 0;
    size_t missing = frame > waiting ? frame - waiting : ROOM_BYTES_MIN;
    if (reader->buf.capacity > LARGE_BYTES && waiting + missing <= CHUNK_BYTES)
        return buffer_shrink(reader);
    if (waiting == 0 || reader->buf.capacity - reader->buf.length < missing) {
        buf_consume(&reader->buf, reader->start);
        reader->start = 0;
    }
    if (waiting + missing < CHUNK_BYTES)
        missing = CHUNK_BYTES - waiting;
    else if (waiting + missing > reader->buf.limit)
        return -ENOBUFS; /* whole frames wait and the caller does not take them */
    return reader->start ? 0 : buf_reserve(&reader->buf, missing);
}

/* What one recv asks for. Never more than a large frame: then its buffer holds nothing else, and can
 * be given away. */
static size_t fill_bytes(const struct frame_reader *reader)
{
    size_t room = reader->buf.capacity - reader->buf.length;
    size_t frame = reader->have_header ? frame_bytes(&reader->header) : 0;
    if (frame > CHUNK_BYTES && room > frame - waiting_bytes(reader))
        room = frame - waiting_bytes(reader);
    return room < FILL_BYTES_MAX ? room : FILL_BYTES_MAX;
}

ssize_t frame_reader_fill(struct frame_reader *reader, int fd, int recv_flags)
{
    int rc = room_make(reader);
    if (rc < 0)
        return rc;
    struct buf *buf = &reader->buf;
    ssize_t n = recv(fd, buf->data + buf->length, fill_bytes(reader), recv_flags);
    if (n < 0)
        return -errno;
    buf->length += (size_t)n;
    return n;
}

/* Decodes the header at start once. 1: it is there; 0: more bytes are needed; negative errno. */
static int header_load(struct frame_reader *reader)
{
    if (reader->have_header)
        return 1;
    if (waiting_bytes(reader) < FRAME_HEADER_BYTES)
        return 0;
    int rc = frame_header_decode(reader->buf.data + reader->start, reader->frame_bytes_max,
                                 &reader->header);
    if (rc < 0)
        return rc; /* start stays, so that every later call fails the same way */
    reader->have_header = true;
    return 1;
}

int frame_reader_next(struct frame_reader *reader, struct frame *ret_frame)
{
    if (waiting_bytes(reader) == 0 && reader->buf.capacity > LARGE_BYTES) {
        buf_deinit(&reader->buf);
        reader->start = 0;
    }
    int rc = header_load(reader);
    if (rc <= 0)
        return rc;
    size_t bytes = frame_bytes(&reader->header);
    if (waiting_bytes(reader) < bytes)
        return 0;
    const unsigned char *data = reader->buf.data + reader->start + FRAME_HEADER_BYTES;
    *ret_frame = (struct frame){.header = reader->header,
                                .head = (const char *)data,
                                .body = data + reader->header.head_bytes};
    reader->start += bytes;
    reader->have_header = false;
    return 1;
}

int frame_reader_take(struct frame_reader *reader, struct frame *frame,
                      struct frame_memory *ret_memory)
{
    size_t bytes = (size_t)frame->header.head_bytes + frame->header.body_bytes;
    struct buf *buf = &reader->buf;
    if (bytes > CHUNK_BYTES && reader->start == buf->length) {
        *ret_memory = (struct frame_memory){buf->data, buf->capacity};
        buf_init(buf, buf->limit);
        reader->start = 0;
        return 0;
    }
    char *copy = malloc(bytes + 1);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, frame->head, bytes);
    frame->head = copy;
    frame->body = (unsigned char *)copy + frame->header.head_bytes;
    *ret_memory = (struct frame_memory){copy, bytes + 1};
    return 0;
}

bool frame_reader_is_mid_frame(const struct frame_reader *reader)
{
    size_t waiting = waiting_bytes(reader);
    struct frame_header header = reader->header;
    if (!reader->have_header) {
        if (waiting < FRAME_HEADER_BYTES)
            return waiting > 0;
        if (frame_header_decode(reader->buf.data + reader->start, reader->frame_bytes_max,
                                &header) < 0)
            return false; /* a violation: next() says so */
    }
    return waiting < frame_bytes(&header);
}
