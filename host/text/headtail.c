/* SPDX-License-Identifier: MIT
 *
 * Head and tail of a stream in bounded memory. The head fills first; what follows goes into a ring
 * that grows to its limit and then overwrites its oldest bytes. Both grow with what really came, so
 * a generous limit costs nothing on a short stream.
 */
#include "text/headtail.h"

#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RING_FIRST_BYTES 4096

void headtail_init(struct headtail *ht, size_t limit)
{
    memset(ht, 0, sizeof(*ht));
    ht->limit = limit;
    ht->head_limit = limit / 5 * 2 + limit % 5 * 2 / 5; /* 40 %, without overflow */
    ht->tail_limit = limit - ht->head_limit;
    buf_init(&ht->head, 0);
}

void headtail_init_head(struct headtail *ht, size_t limit)
{
    headtail_init(ht, limit);
    ht->head_limit = limit;
    ht->tail_limit = 0;
}

void headtail_deinit(struct headtail *ht)
{
    buf_deinit(&ht->head);
    free(ht->ring);
    ht->ring = NULL;
    ht->tail_capacity = ht->tail_length = ht->tail_start = 0;
}

/* Returns how many bytes went into the head. */
static size_t head_append(struct headtail *ht, const unsigned char *data, size_t length)
{
    if (ht->limit > 0 && length > ht->head_limit - ht->head.length)
        length = ht->head_limit - ht->head.length;
    if (length > 0 && buf_append(&ht->head, data, length) < 0)
        ht->failed = true;
    return length;
}

/* Room for `wanted` bytes in the ring, or for tail_limit. Only called before the ring has wrapped,
 * when its bytes start at 0: that is why realloc keeps their order. */
static bool ring_grow(struct headtail *ht, size_t wanted)
{
    size_t capacity = ht->tail_capacity > 0 ? ht->tail_capacity : RING_FIRST_BYTES;
    while (capacity < wanted && capacity < ht->tail_limit)
        capacity = capacity > ht->tail_limit / 2 ? ht->tail_limit : capacity * 2;
    if (capacity > ht->tail_limit)
        capacity = ht->tail_limit;
    if (capacity == ht->tail_capacity)
        return true;

    unsigned char *ring = realloc(ht->ring, capacity);
    if (!ring)
        return false;
    ht->ring = ring;
    ht->tail_capacity = capacity;
    return true;
}

/* Copies at the ring's write position; length <= tail_capacity. */
static void ring_write(struct headtail *ht, const unsigned char *data, size_t length)
{
    size_t end = ht->tail_start + ht->tail_length;
    if (end >= ht->tail_capacity)
        end -= ht->tail_capacity;
    size_t first = ht->tail_capacity - end;
    if (first > length)
        first = length;
    memcpy(ht->ring + end, data, first);
    memcpy(ht->ring, data + first, length - first);

    size_t room = ht->tail_capacity - ht->tail_length;
    if (length <= room) {
        ht->tail_length += length;
        return;
    }
    ht->tail_length = ht->tail_capacity;
    ht->tail_start = (ht->tail_start + (length - room)) % ht->tail_capacity;
}

static void tail_append(struct headtail *ht, const unsigned char *data, size_t length)
{
    if (ht->tail_limit == 0 || length == 0)
        return;
    size_t room = ht->tail_capacity - ht->tail_length;
    if (length > room && ht->tail_capacity < ht->tail_limit) {
        size_t wanted = length > SIZE_MAX - ht->tail_length ? SIZE_MAX : ht->tail_length + length;
        if (!ring_grow(ht, wanted)) {
            ht->failed = true;
            return;
        }
    }
    if (length > ht->tail_capacity) { /* only its end can survive */
        data += length - ht->tail_capacity;
        length = ht->tail_capacity;
    }
    ring_write(ht, data, length);
}

void headtail_append(struct headtail *ht, const void *data, size_t length)
{
    const unsigned char *bytes = data;

    ht->total += length;
    if (ht->failed)
        return;
    size_t used = head_append(ht, bytes, length);
    if (!ht->failed)
        tail_append(ht, bytes + used, length - used);
}

/* The ring's bytes in the order of the stream. */
static int tail_linearise(const struct headtail *ht, struct buf *out)
{
    if (ht->tail_length == 0)
        return 0;
    size_t first = ht->tail_capacity - ht->tail_start;
    if (first > ht->tail_length)
        first = ht->tail_length;
    int r = buf_append(out, ht->ring + ht->tail_start, first);
    return r < 0 ? r : buf_append(out, ht->ring, ht->tail_length - first);
}

/* Everything that was kept is one piece from the start of the stream: it was never over the limit,
 * or memory ran out while the buffers still grew, which is before the ring has wrapped. */
static int prefix_render(const struct headtail *ht, struct buf *out, uint64_t *ret_captured)
{
    _cleanup_buf_ struct buf joined = BUF_INIT(0);
    const struct buf *prefix = &ht->head;

    if (ht->tail_length > 0) { /* a character may lie across the border of head and tail */
        int r = buf_append(&joined, ht->head.data, ht->head.length);
        if (r == 0)
            r = tail_linearise(ht, &joined);
        if (r < 0)
            return r;
        prefix = &joined;
    }
    size_t length = prefix->length;
    if (length < ht->total)
        length = utf8_floor(prefix->data, length);
    *ret_captured = length;
    return utf8_append_replaced(out, prefix->data, length);
}

static int notice_render(struct buf *out, uint64_t omitted, uint64_t total, bool more)
{
    return buf_append_format(out,
                             "\n\n[OUTPUT TRUNCATED: %" PRIu64 " of %" PRIu64 " bytes omitted]\n%s",
                             omitted, total, more ? "\n" : "");
}

static int cut_render(const struct headtail *ht, struct buf *out, uint64_t *ret_captured)
{
    _cleanup_buf_ struct buf tail = BUF_INIT(0);
    int r = tail_linearise(ht, &tail);
    if (r < 0)
        return r;
    size_t head_length = utf8_floor(ht->head.data, ht->head.length);
    size_t skip = utf8_skip_continuation(tail.data, tail.length);
    *ret_captured = head_length + (tail.length - skip);

    r = utf8_append_replaced(out, ht->head.data, head_length);
    if (r == 0)
        r = notice_render(out, ht->total - *ret_captured, ht->total, tail.length > skip);
    if (r == 0 && tail.length > skip)
        r = utf8_append_replaced(out, tail.data + skip, tail.length - skip);
    return r;
}

int headtail_render(const struct headtail *ht, struct buf *out, struct headtail_counts *ret_counts)
{
    bool over = ht->limit > 0 && ht->total > ht->limit;
    uint64_t captured = 0;
    int r;

    if (over && !ht->failed) {
        r = cut_render(ht, out, &captured);
    } else {
        r = prefix_render(ht, out, &captured);
        if (r == 0 && captured < ht->total)
            r = notice_render(out, ht->total - captured, ht->total, false);
    }
    *ret_counts = (struct headtail_counts){
        .total = ht->total,
        .captured = captured,
        .omitted = ht->total - captured,
        .truncated = captured < ht->total,
    };
    return r;
}
