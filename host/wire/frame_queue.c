/* SPDX-License-Identifier: MIT
 *
 * The outbound queue of a channel whose other end may never read. Small frames share a block, a
 * large one has its own, so that a flush is one sendmsg for nearly everything. Bodies whose memory
 * was handed over are blocks too; the last of them takes the memory with it.
 */
#include "wire/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define BLOCK_BYTES     (16u * 1024u)
#define BLOCKS_PER_SEND 64

struct frame_queue_block {
    struct frame_queue_block *next;
    size_t sent; /* bytes of data that are gone already */
    size_t length;
    size_t capacity;
    const unsigned char *data;  /* own, or inside somebody else's memory */
    struct frame_memory memory; /* freed with this block */
    unsigned char own[];
};

void frame_queue_init(struct frame_queue *queue, size_t bytes_max)
{
    *queue = (struct frame_queue){.bytes_max = bytes_max};
}

static void first_free(struct frame_queue *queue)
{
    struct frame_queue_block *block = queue->first;
    queue->first = block->next;
    if (!queue->first)
        queue->last = NULL;
    if (block->memory.data)
        loop_free_later(queue->loop, block->memory.data, block->memory.bytes);
    loop_free_later(queue->loop, block,
                    sizeof(*block) + (block->data == block->own ? block->capacity : 0));
}

void frame_queue_deinit(struct frame_queue *queue)
{
    while (queue->first)
        first_free(queue);
    queue->bytes = 0;
}

static void block_append(struct frame_queue *queue, struct frame_queue_block *block)
{
    if (queue->last)
        queue->last->next = block;
    else
        queue->first = block;
    queue->last = block;
}

/* The last block when it has room, else a new one at the end. NULL: no memory. */
static struct frame_queue_block *block_with_room(struct frame_queue *queue, size_t bytes)
{
    struct frame_queue_block *block = queue->last;
    if (block && block->capacity - block->length >= bytes)
        return block;
    size_t capacity = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    block = malloc(sizeof(*block) + capacity);
    if (!block)
        return NULL;
    *block = (struct frame_queue_block){.capacity = capacity, .data = block->own};
    block_append(queue, block);
    return block;
}

static void part_store(struct frame_queue_block *block, const struct frame_part *part)
{
    if (part->length > 0)
        memcpy(block->own + block->length, part->data, part->length);
    block->length += part->length;
}

/* Measures the frame and looks whether it may still come in. */
static int room_check(const struct frame_queue *queue, struct frame_header *header,
                      const struct frame_part *head, const struct frame_part *body_parts,
                      size_t body_part_count, size_t *ret_bytes)
{
    int rc = frame_header_measure(header, head, body_parts, body_part_count);
    if (rc < 0)
        return rc;
    *ret_bytes = (size_t)FRAME_HEADER_BYTES + header->head_bytes + header->body_bytes;
    if (queue->bytes > queue->bytes_max || *ret_bytes > queue->bytes_max - queue->bytes)
        return -ENOBUFS;
    return 0;
}

static void start_store(struct frame_queue_block *block, const struct frame_header *header,
                        const struct frame_part *head)
{
    frame_header_encode(header, block->own + block->length);
    block->length += FRAME_HEADER_BYTES;
    part_store(block, head);
}

int frame_queue_push(struct frame_queue *queue, struct frame_header *header,
                     const struct frame_part *head, const struct frame_part *body_parts,
                     size_t body_part_count)
{
    size_t bytes;
    int rc = room_check(queue, header, head, body_parts, body_part_count, &bytes);
    if (rc < 0)
        return rc;
    struct frame_queue_block *block = block_with_room(queue, bytes);
    if (!block)
        return -ENOMEM;
    start_store(block, header, head);
    for (size_t i = 0; i < body_part_count; i++)
        part_store(block, &body_parts[i]);
    queue->bytes += bytes;
    return 0;
}

/* A block for each part, in a list of its own. NULL: no memory, or nothing but empty parts. */
static struct frame_queue_block *parts_list(const struct frame_part *parts, size_t count)
{
    struct frame_queue parts_queue = {0};
    for (size_t i = 0; i < count; i++) {
        struct frame_queue_block *block = calloc(1, sizeof(*block));
        if (!block) {
            frame_queue_deinit(&parts_queue);
            return NULL;
        }
        block->length = block->capacity = parts[i].length;
        block->data = parts[i].data;
        block_append(&parts_queue, block);
    }
    return parts_queue.first;
}

int frame_queue_push_owned(struct frame_queue *queue, struct frame_header *header,
                           const struct frame_part *head, const struct frame_part *body_parts,
                           size_t body_part_count, struct frame_memory memory)
{
    size_t bytes;
    int rc = room_check(queue, header, head, body_parts, body_part_count, &bytes);
    if (rc < 0)
        return rc;
    struct frame_queue_block *parts = parts_list(body_parts, body_part_count);
    if (!parts)
        return -ENOMEM;
    struct frame_queue_block *block =
        block_with_room(queue, (size_t)FRAME_HEADER_BYTES + header->head_bytes);
    if (!block) {
        frame_queue_deinit(&(struct frame_queue){.first = parts});
        return -ENOMEM;
    }
    start_store(block, header, head);
    queue->last->next = parts;
    while (queue->last->next)
        queue->last = queue->last->next;
    queue->last->memory = memory;
    queue->bytes += bytes;
    return 0;
}

/* Returns the bytes that were gathered into parts, at most bytes_max. */
static size_t blocks_gather(const struct frame_queue *queue, size_t bytes_max,
                            struct iovec parts[BLOCKS_PER_SEND], size_t *ret_count)
{
    size_t bytes = 0, count = 0;
    for (struct frame_queue_block *block = queue->first;
         block && count < BLOCKS_PER_SEND && bytes < bytes_max; block = block->next) {
        size_t length = block->length - block->sent;
        if (length > bytes_max - bytes)
            length = bytes_max - bytes;
        parts[count++] =
            (struct iovec){.iov_base = (void *)(block->data + block->sent), .iov_len = length};
        bytes += length;
    }
    *ret_count = count;
    return bytes;
}

static void blocks_drop(struct frame_queue *queue, size_t sent)
{
    queue->bytes -= sent;
    while (queue->first) {
        struct frame_queue_block *block = queue->first;
        size_t length = block->length - block->sent;
        if (sent < length) {
            block->sent += sent;
            return;
        }
        sent -= length;
        first_free(queue);
    }
}

int frame_queue_flush(struct frame_queue *queue, int fd, size_t slice_bytes)
{
    size_t left = slice_bytes ? slice_bytes : SIZE_MAX;
    while (queue->bytes > 0 && left > 0) {
        struct iovec parts[BLOCKS_PER_SEND];
        size_t count, asked = blocks_gather(queue, left, parts, &count);
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
        ssize_t n = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN ? 0 : -errno;
        blocks_drop(queue, (size_t)n);
        left -= (size_t)n;
        if ((size_t)n < asked)
            return 0; /* the socket is full: asking again would only say EAGAIN */
    }
    return queue->bytes == 0;
}
