/* SPDX-License-Identifier: MIT
 *
 * Frames: the bytes on a call channel (script <-> host) and on a tools channel (host <-> tools
 * process), both SOCK_STREAM socketpairs. A fixed little-endian header, a JSON head, raw bodies.
 * Whatever arrives is hostile: lengths are checked against the caps before a byte is allocated.
 */
#pragma once

#include "base/buf.h"
#include "base/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FRAME_HEADER_BYTES    24
#define FRAME_HEAD_BYTES_MAX  (64u * 1024u)
#define FRAME_BYTES_MAX       (64u * 1024u * 1024u) /* head and bodies together, default cap */
#define FRAME_INLINE_TEXT_MAX 4096u                 /* a longer string travels as a raw body */

/* The JSON text of a body that jansson will parse: 100 MiB/s, and a host must not stand still. */
#define FRAME_JSON_BODY_BYTES_MAX (16u * 1024u * 1024u)

enum frame_type {
    FRAME_RUN = 1,   /* host -> script: id 0; head and bodies: message.h */
    FRAME_CALL = 2,  /* script -> host -> tools: a tool call; id chosen by the script, strictly
                        rising from 1 */
    FRAME_REPLY = 3, /* tools -> host -> script: the answer to id */
    FRAME_CANCEL =
        4, /* script -> host -> tools: the caller no longer waits for id; no answer is owed */
    FRAME_DONE = 5, /* script -> host: id 0; the script has ended, with its exit code */
};

enum frame_flags {
    FRAME_ERROR = 1 << 0, /* REPLY: the result is a failure (it has an "error" key) */
    FRAME_JSON_BODY =
        1 << 1, /* RUN, CALL, REPLY: the arguments / the result are the one body, as JSON text */
};

struct frame_header {
    uint32_t head_bytes; /* offset 0 */
    uint32_t body_bytes; /* offset 4: all bodies together; their lengths stand in the head */
    uint64_t id;         /* offset 8 */
    uint16_t type;       /* offset 16 */
    uint16_t flags;      /* offset 18 */
                         /* offset 20: four bytes, must be zero */
};

void frame_header_encode(const struct frame_header *header, unsigned char out[FRAME_HEADER_BYTES]);

/* 0; -EPROTO: unknown type or flag, reserved bytes not zero; -EMSGSIZE: over a cap (frame_bytes_max
 * counts head + bodies). */
int frame_header_decode(const unsigned char in[FRAME_HEADER_BYTES], uint32_t frame_bytes_max,
                        struct frame_header *ret_header);

/* A whole frame; head and body point into the reader and live until its next call. */
struct frame {
    struct frame_header header;
    const char *head;
    const unsigned char *body;
};

/* A malloc'd block whose owner hands it on rather than copies it. */
struct frame_memory {
    void *data;
    size_t bytes; /* allocated */
};

/* Buffered reader. Small frames arrive many to a recv; a large one is read straight into place. */
struct frame_reader {
    struct buf buf;
    size_t start;             /* first byte that was not yet handed out */
    uint32_t frame_bytes_max; /* cap on head + bodies */
    struct loop *loop;        /* for whoever frees what was taken; NULL: none */
    bool have_header;         /* the header at start was decoded into `header` */
    struct frame_header header;
};

void frame_reader_init(struct frame_reader *reader, uint32_t frame_bytes_max);
void frame_reader_deinit(struct frame_reader *reader);

/* One recv(2) of at most 256 KiB, so that a dispatch stays short. Returns bytes read (> 0), 0 at end of file, negative errno (-EAGAIN, -EINTR, ...).
 */
ssize_t frame_reader_fill(struct frame_reader *reader, int fd, int recv_flags);

/* 1: *ret_frame is the next frame; 0: more bytes are needed; negative: protocol violation (final).
 */
int frame_reader_next(struct frame_reader *reader, struct frame *ret_frame);

/* Gives the memory away that frame, the last one from next(), lies in: a large frame's own buffer
 * without a copy, a copy of a small one. Moves frame's pointers. free() it. 0 or -ENOMEM. */
int frame_reader_take(struct frame_reader *reader, struct frame *frame,
                      struct frame_memory *ret_memory);

/* True while bytes of an unfinished frame wait (a slow sender can be told from an idle one). */
bool frame_reader_is_mid_frame(const struct frame_reader *reader);

/* Bytes that leave in one frame, borrowed. body_parts are written one after the other. */
struct frame_part {
    const void *data;
    size_t length;
};

/* Sets header's lengths from the parts. 0, or -EMSGSIZE over FRAME_HEAD_BYTES_MAX or
 * FRAME_BYTES_MAX. */
int frame_header_measure(struct frame_header *header, const struct frame_part *head,
                         const struct frame_part *body_parts, size_t body_part_count);

/* Blocking send of one whole frame (child side). Retries EINTR and short writes; MSG_NOSIGNAL.
 * 0 or negative errno. header's lengths are computed from the parts. */
int frame_send(int fd, struct frame_header *header, const struct frame_part *head,
               const struct frame_part *body_parts, size_t body_part_count);

/* Non-blocking outbound queue (host side). */
struct frame_queue {
    struct frame_queue_block *first, *last;
    size_t bytes;      /* waiting */
    size_t bytes_max;  /* -ENOBUFS above it */
    struct loop *loop; /* frees large memory in pieces; NULL: at once */
};

void frame_queue_init(struct frame_queue *queue, size_t bytes_max);
void frame_queue_deinit(struct frame_queue *queue);

/* Queues one frame (copies the parts). 0, -ENOMEM, -ENOBUFS, -EMSGSIZE. */
int frame_queue_push(struct frame_queue *queue, struct frame_header *header,
                     const struct frame_part *head, const struct frame_part *body_parts,
                     size_t body_part_count);

/* The same without a copy of the bodies: they leave from where they are, inside memory, which is freed
 * when they are gone (data NULL: they live longer than the queue). On failure it stays the
 * caller's. */
int frame_queue_push_owned(struct frame_queue *queue, struct frame_header *header,
                           const struct frame_part *head, const struct frame_part *body_parts,
                           size_t body_part_count, struct frame_memory memory);

/* Writes what the socket takes, at most slice_bytes (0 = no bound: until EAGAIN).
 * 1: empty now; 0: more waits; negative errno: the channel is gone. */
int frame_queue_flush(struct frame_queue *queue, int fd, size_t slice_bytes);
