/* SPDX-License-Identifier: MIT
 *
 * A large call on its way from its frame to its arguments, in pieces. Its bodies stay in the memory
 * that the frame was read into; what a tools process gets leaves from there.
 */
#pragma once

#include "base/json_scan.h"
#include "base/loop.h"
#include "run/args_text.h"
#include "wire/frame.h"
#include "wire/message.h"

struct call;
struct err;
struct tool_spec;

struct parcel {
    struct frame_header header;
    struct frame_memory memory;
    const unsigned char *body; /* in memory */
    struct message_outline outline;
    struct json_scan scan; /* of a JSON body */
    size_t members_done;
    struct args_text text;
    bool has_text; /* it was begun */
    uint64_t started_ns;
    const struct tool_spec *spec; /* what is called; borrowed */
    struct call *call;            /* once its arguments are checked */
};

/* A large head that nothing follows. */
bool parcel_is_all_head(const struct frame_header *header);

/* frame is the last one that reader has given. NULL: err says why, as message_outline_read. */
struct parcel *parcel_new(struct frame_reader *reader, struct frame *frame, struct err *err);
/* Arguments that are there already, of a call without a frame. NULL: no memory. */
struct parcel *parcel_new_args(json_t *args);
void parcel_free(struct parcel *parcel, struct loop *loop); /* NULL is fine, for both */

/* One piece of the way to the outline's "args". 1: it is there; 0: there is more; -EPROTO, -E2BIG,
 * -ENOMEM with err set. */
int parcel_open_step(struct parcel *parcel, struct err *err);

/* One piece of the text of args, which were made from the outline's. 1: text.out is complete; 0; -ENOMEM.
 */
int parcel_text_step(struct parcel *parcel, const json_t *args);
