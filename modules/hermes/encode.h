/* SPDX-License-Identifier: MIT
 *
 * Inside of the encoder: codec_encode.c (a call), encode_value.c (any value), encode_text.c
 * (strings and bodies), encode_refuse.c (what went wrong, and where).
 */
#pragma once

#include "hermes/codec.h"

/* Where a value stands: links up to the parameter. Lives on the C stack. */
struct step {
    const struct step *parent;
    PyObject *key;    /* borrowed str, or NULL: index */
    const char *name; /* of the parameter: the first step */
    Py_ssize_t index;
};

struct encoder {
    struct call_message *message;
    struct buf *out; /* message->head or message->json_body */
    const struct tool_spec *spec;
    bool inline_text;  /* the second pass: nothing leaves as a body of its own */
    bool head_is_full; /* the first pass has failed without an exception: a second is needed */
};

/* depth: the levels of JSON that value's own brackets would be the last of. 0 or -1. */
int encode_value(struct encoder *e, PyObject *value, const struct step *step, int depth);
int encode_text(struct encoder *e, PyObject *text, const struct step *step);

/* Appends text as a JSON string. What buf_append returned. */
int encode_json_text(struct buf *out, const char *text, size_t length);

/* One body of the frame; the data is borrowed. 0, or -1 with MemoryError. */
int encode_part_add(struct call_message *message, const void *data, size_t length);

/* Raises "tool() argument 'name'[step] DETAIL". Steals detail (a str; NULL after a failure). -1. */
int encode_refuse(const struct encoder *e, const struct step *step, PyObject *exception,
                  PyObject *detail);

/* A UnicodeEncodeError becomes a ValueError with name and index. -1. */
int encode_surrogate_refuse(const struct encoder *e, const struct step *step, const char *what);

/* "arguments are too large". -1. */
int encode_too_large(const struct encoder *e);

/* What a buffer said: 0, or -1 with MemoryError, "too large", or head_is_full. */
int encode_check(struct encoder *e, int r);
