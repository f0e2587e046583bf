/* SPDX-License-Identifier: MIT
 *
 * The frame header, and sending one frame from a process that may block.
 */
#include "wire/frame.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define PARTS_PER_SEND 64 /* iovecs of one sendmsg */

static uint64_t little_load(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static void little_store(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

void frame_header_encode(const struct frame_header *header, unsigned char out[FRAME_HEADER_BYTES])
{
    little_store(out, header->head_bytes, 4);
    little_store(out + 4, header->body_bytes, 4);
    little_store(out + 8, header->id, 8);
    little_store(out + 16, header->type, 2);
    little_store(out + 18, header->flags, 2);
    little_store(out + 20, 0, 4);
}

/* What each type may carry; a type that is not here is unknown. */
static int flags_permitted(uint16_t type)
{
    switch (type) {
    case FRAME_RUN:
    case FRAME_CALL:
        return FRAME_JSON_BODY;
    case FRAME_REPLY:
        return FRAME_JSON_BODY | FRAME_ERROR;
    case FRAME_CANCEL:
    case FRAME_DONE:
        return 0;
    default:
        return -1;
    }
}

int frame_header_decode(const unsigned char in[FRAME_HEADER_BYTES], uint32_t frame_bytes_max,
                        struct frame_header *ret_header)
{
    struct frame_header header = {
        .head_bytes = (uint32_t)little_load(in, 4),
        .body_bytes = (uint32_t)little_load(in + 4, 4),
        .id = little_load(in + 8, 8),
        .type = (uint16_t)little_load(in + 16, 2),
        .flags = (uint16_t)little_load(in + 18, 2),
    };
    int permitted = flags_permitted(header.type);
    if (permitted < 0 || (header.flags & ~permitted) || little_load(in + 20, 4) != 0)
        return -EPROTO;
    if ((header.type == FRAME_CANCEL || header.type == FRAME_DONE) && header.body_bytes)
        return -EPROTO;
    if (header.head_bytes > FRAME_HEAD_BYTES_MAX ||
        (uint64_t)header.head_bytes + header.body_bytes > frame_bytes_max)
        return -EMSGSIZE;
    *ret_header = header;
    return 0;
}

int frame_header_measure(struct frame_header *header, const struct frame_part *head,
                         const struct frame_part *body_parts, size_t body_part_count)
{
    if (head->length > FRAME_HEAD_BYTES_MAX)
        return -EMSGSIZE;
    size_t room = FRAME_BYTES_MAX - head->length, body_bytes = 0;
    for (size_t i = 0; i < body_part_count; i++) {
        if (body_parts[i].length > room - body_bytes)
            return -EMSGSIZE;
        body_bytes += body_parts[i].length;
    }
    header->head_bytes = (uint32_t)head->length;
    header->body_bytes = (uint32_t)body_bytes;
    return 0;
}

/* The script may have made its end non-blocking (one file description, any of its code). */
static int writable_wait(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};
    return poll(&poll_fd, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

/* Moves parts past `sent` bytes and past what is empty. */
static void parts_advance(struct iovec **parts, size_t *count, size_t sent)
{
    while (*count > 0 && sent >= (*parts)->iov_len) {
        sent -= (*parts)->iov_len;
        (*parts)++;
        (*count)--;
    }
    if (*count > 0) {
        (*parts)->iov_base = (char *)(*parts)->iov_base + sent;
        (*parts)->iov_len -= sent;
    }
}

static int parts_send(int fd, struct iovec *parts, size_t count)
{
    parts_advance(&parts, &count, 0);
    while (count > 0) {
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
        ssize_t n = sendmsg(fd, &message, MSG_NOSIGNAL);
        if (n >= 0) {
            parts_advance(&parts, &count, (size_t)n);
            continue;
        }
        int rc = errno == EAGAIN ? writable_wait(fd) : errno == EINTR ? 0 : -errno;
        if (rc < 0)
            return rc;
    }
    return 0;
}

int frame_send(int fd, struct frame_header *header, const struct frame_part *head,
               const struct frame_part *body_parts, size_t body_part_count)
{
    int rc = frame_header_measure(header, head, body_parts, body_part_count);
    if (rc < 0)
        return rc;
    unsigned char header_bytes[FRAME_HEADER_BYTES];
    frame_header_encode(header, header_bytes);
    struct iovec parts[PARTS_PER_SEND] = {
        {.iov_base = header_bytes, .iov_len = sizeof(header_bytes)},
        {.iov_base = (void *)head->data, .iov_len = head->length},
    };
    size_t count = 2;
    for (size_t i = 0; i < body_part_count; i++) {
        if (count == PARTS_PER_SEND) {
            rc = parts_send(fd, parts, count);
            if (rc < 0)
                return rc;
            count = 0;
        }
        parts[count++] =
            (struct iovec){.iov_base = (void *)body_parts[i].data, .iov_len = body_parts[i].length};
    }
    return parts_send(fd, parts, count);
}
