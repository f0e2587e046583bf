/* SPDX-License-Identifier: MIT
 *
 * The arguments of a call as one JSON text for a handler, made in pieces: 64 MiB of it take half a
 * second.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "wire/message.h"

struct args_gap { /* where a long text belongs */
    size_t at;    /* in lean */
    const char *text;
    size_t length;
    bool is_json;
};

struct args_text {
    struct buf lean; /* the JSON without its long texts */
    struct args_gap *gaps;
    size_t gap_count;
    size_t lean_done, gaps_done, text_done; /* text_done: of the gap that is being filled */
    bool in_gap;
    struct buf out;
};

/* args may hold stand-ins of parts, whose texts must stay where they are. 0 or -ENOMEM. */
int args_text_init(struct args_text *text, const json_t *args, const struct message_body *parts,
                   size_t part_count);
void args_text_deinit(struct args_text *text);

/* Goes on for about `bytes` bytes. 1: out is complete; 0: there is more; -ENOMEM. */
int args_text_step(struct args_text *text, size_t bytes);
