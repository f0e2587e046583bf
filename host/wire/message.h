/* SPDX-License-Identifier: MIT
 *
 * What the JSON heads of frames say, for the two ends that speak jansson (host and tools process).
 * The script's end builds and reads the same bytes with CPython (modules/hermes/codec).
 *
 * Long strings. A string longer than FRAME_INLINE_TEXT_MAX is replaced by null in the JSON and
 * travels as a raw UTF-8 body. The head's "bodies" says where each one belongs, in order:
 *
 *     {"tool":"write_file","args":{"path":"a","content":null},"bodies":[[70000,"args","content"]]}
 *     {"result":{"content":null,"total_lines":3},"bodies":[[90000,"result","content"]]}
 *
 * An entry is [length, step, step, ...]; a step is an object key or an array index. The lengths add
 * up to the header's body_bytes exactly. With FRAME_JSON_BODY there is no "args" / "result" in the
 * head and the single body is their JSON text.
 *
 *     RUN     {"filename":..., "argv":[...], "tools":[name or spec object, ...]}; the body is the
 *             script's bytes as they are (modules/child/run_message.h)
 *     CALL    {"tool":"read_file","args":{...}} and, from the host to the tools process, also
 *             "deadline_ms": time that is left, 0 = none
 *     REPLY   {"result":{...}}
 *     CANCEL  {}; the script wants no answer any more, the host wants one from the tools process
 *     DONE    {"exit_code":0} with "signal":N when python3 would have ended by that signal, and
 *             "usage":[user us, system us, peak KiB], what the script says of itself
 */
#pragma once

#include "base/json.h"
#include "wire/frame.h"

#include <stdbool.h>

struct err;

/* Head and bodies of a frame, decoded: the head's object with every body put in its place and
 * "bodies" removed; with FRAME_JSON_BODY the parsed body stands under json_key ("args", "result").
 * NULL on a violation (err's code is -EPROTO, its text says which), or when an honest sender asked
 * for too much: -E2BIG (more than JSON_VALUES_MAX values), -EMSGSIZE (a JSON body over
 * FRAME_JSON_BODY_BYTES_MAX), -ENOMEM; such a call can be answered with an error. */
json_t *message_decode(const struct frame *frame, const char *json_key, struct err *err);

/* JSON as a Python str may carry it: lone surrogates and invalid UTF-8 become U+FFFD. For small texts.
 * err as above. */
json_t *message_json_parse(const char *text, size_t length, struct err *err);
/* Where the next \u escape of a lone surrogate begins at or after `at`, at most end; an escape that
 * begins before end is looked at as a whole. *ret_at: where to look on. end when there is none. */
size_t message_lone_surrogate_find(const char *text, size_t length, size_t at, size_t end,
                                   size_t *ret_at);

/* A large frame whose bodies stay where they are: only the head is decoded, with a stand-in (of the
 * same JSON type; a string shows how the text begins) where a body belongs. */
struct message_body {
    json_t *stand_in; /* reference; found again by its address */
    const unsigned char *text;
    size_t length;
    bool is_json; /* text is JSON; else a string's bytes */
};

struct message_outline {
    json_t *head;   /* without "bodies"; with FRAME_JSON_BODY also without the arguments */
    json_t *bodies; /* as they came: [[length, step, ...], ...]; NULL: none */
    struct message_body *parts;
    size_t count;
};

/* 0; -EPROTO, -E2BIG, -ENOMEM with err set, as message_decode. Costs the head, not the bodies. */
int message_outline_read(const struct frame *frame, struct message_outline *ret_outline,
                         struct err *err);
void message_outline_deinit(struct message_outline *outline);

/* Notes one more. 0 or -ENOMEM (stand_in is dropped then). */
int message_outline_add(struct message_outline *outline, const struct message_body *body);

/* Makes head, which holds `args` made from the outline's, ready to leave with the bodies as they came:
 * null for each stand-in, "bodies" added. A body whose stand-in is not at its place any more goes to
 * a key that nobody reads. 0 or -ENOMEM. */
int message_outline_restore(const struct message_outline *outline, json_t *head);

/* The opposite: moves long strings of head[subtree_key] (an object or array; may be NULL) out into
 * bodies and serialises. When the head would still pass FRAME_HEAD_BYTES_MAX the subtree leaves as
 * one JSON body. */
struct message_encoded {
    struct buf head;          /* JSON text */
    struct frame_part *parts; /* bodies; they point into `tree` or `json_body` */
    size_t part_count;
    uint16_t flags; /* 0 or FRAME_JSON_BODY */
    struct buf json_body;
    json_t *tree; /* owned reference that keeps the strings alive */
};

/* Takes its own reference on what it needs of head. 0, -ENOMEM, -EMSGSIZE (over FRAME_BYTES_MAX,
 * over FRAME_JSON_BODY_BYTES_MAX where it must leave as JSON, or deeper than JSON_DEPTH_MAX). */
int message_encode(json_t *head, const char *subtree_key, struct message_encoded *ret_message);
void message_encoded_deinit(struct message_encoded *message);

/* Convenience: encode {"result": result} and queue it / send it as the REPLY to id. */
int message_reply_queue(struct frame_queue *queue, uint64_t id, json_t *result);
int message_reply_send(int fd, uint64_t id, json_t *result);
