/* SPDX-License-Identifier: MIT
 *
 * Keeps the first 40 % and the last 60 % of a byte stream of any length in bounded memory, and cuts
 * at UTF-8 borders. Counts are exact bytes of the stream as it arrived.
 */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct headtail {
    size_t limit;      /* bytes kept in all; 0 = everything */
    size_t head_limit; /* 40 % of limit (0 % or 100 % by headtail_init_head) */
    struct buf head;
    unsigned char
        *ring; /* the tail; grows up to tail_limit, then the oldest bytes are overwritten */
    size_t tail_limit, tail_capacity, tail_length, tail_start;
    uint64_t total; /* bytes seen */
    bool failed;    /* no memory: the start that was kept so far stays, total goes on counting */
};

void headtail_init(struct headtail *ht, size_t limit);      /* head 40 %, tail 60 % */
void headtail_init_head(struct headtail *ht, size_t limit); /* head only */
void headtail_deinit(struct headtail *ht);

void headtail_append(struct headtail *ht, const void *data, size_t length);

struct headtail_counts {
    uint64_t total, captured, omitted; /* bytes of the stream; total = captured + omitted */
    bool truncated;
};

/* Appends head + (when cut: "\n\n[OUTPUT TRUNCATED: N of M bytes omitted]\n\n") + tail to out, with
 * invalid UTF-8 replaced by U+FFFD and no character split at the cuts (a split one counts as
 * omitted). 0 or what buf_append returned. */
int headtail_render(const struct headtail *ht, struct buf *out, struct headtail_counts *ret_counts);
