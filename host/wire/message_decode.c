/* SPDX-License-Identifier: MIT
 *
 * Frames to JSON trees. The frame comes from a stranger: every number and path of its "bodies" is
 * checked. Work is linear in the frame's bytes, since every step of a path costs bytes in the head.
 */
#include "wire/message.h"

#include "base/err.h"
#include "base/utf8.h"

#include <errno.h>
#include <string.h>

#define ESCAPE_BYTES 6 /* \uXXXX */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The code unit of the \uXXXX at text, -1 when there is none. */
static int escape_unit(const char *text, size_t length)
{
    int unit = 0;
    if (length < ESCAPE_BYTES || text[0] != '\\' || text[1] != 'u')
        return -1;
    for (int i = 2; i < ESCAPE_BYTES; i++) {
        int digit = hex_value(text[i]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static bool is_high_surrogate(int unit)
{
    return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low_surrogate(int unit)
{
    return unit >= 0xdc00 && unit <= 0xdfff;
}

/* Where the next \u escape of a lone surrogate stands, length when there is none. Python's json
 * writes them for strings with undecodable bytes; jansson refuses them. */
static size_t lone_surrogate_find(const char *text, size_t length, size_t at)
{
    while (at < length) {
        const char *backslash = memchr(text + at, '\\', length - at);
        if (!backslash)
            break;
        at = (size_t)(backslash - text);
        int unit = escape_unit(backslash, length - at);
        bool high = is_high_surrogate(unit);
        if (high &&
            is_low_surrogate(escape_unit(backslash + ESCAPE_BYTES, length - at - ESCAPE_BYTES)))
            at += 2 * ESCAPE_BYTES;
        else if (high || is_low_surrogate(unit))
            return at;
        else
            at += 2;
    }
    return length;
}

/* Parses JSON in which a Python str was written as it was: lone surrogates become U+FFFD. */
static json_t *python_json_parse(const char *text, size_t length, struct err *err)
{
    size_t at = lone_surrogate_find(text, length, 0);
    if (at >= length)
        return json_parse(text, length, JSON_DEPTH_MAX, err);
    _cleanup_buf_ struct buf copy = BUF_INIT(0);
    if (buf_append(&copy, text, length) < 0) {
        err_set(err, -ENOMEM, "no memory for JSON");
        return NULL;
    }
    char *fixed = (char *)copy.data;
    for (; at < length; at = lone_surrogate_find(fixed, length, at + ESCAPE_BYTES))
        memcpy(fixed + at, "\\ufffd", ESCAPE_BYTES);
    return json_parse(fixed, length, JSON_DEPTH_MAX, err);
}

static json_t *body_parse(const struct frame *frame, struct err *err)
{
    const char *text = (const char *)frame->body;
    size_t length = frame->header.body_bytes;
    if (utf8_valid(text, length))
        return python_json_parse(text, length, err);
    _cleanup_buf_ struct buf replaced = BUF_INIT(0);
    if (utf8_append_replaced(&replaced, text, length) < 0) {
        err_set(err, -ENOMEM, "no memory for JSON");
        return NULL;
    }
    return python_json_parse((const char *)replaced.data, replaced.length, err);
}

/* The place that one step of a path names inside container, borrowed; NULL when there is none. */
static json_t *step_get(json_t *container, const json_t *step)
{
    if (json_is_object(container) && json_is_string(step))
        return json_object_getn(container, json_string_value(step), json_string_length(step));
    if (json_is_array(container) && json_is_integer(step) && json_integer_value(step) >= 0)
        return json_array_get(container, (size_t)json_integer_value(step));
    return NULL;
}

static int step_set(json_t *container, const json_t *step, json_t *stolen)
{
    if (json_is_object(container))
        return json_object_setn_new_nocheck(container, json_string_value(step),
                                            json_string_length(step), stolen);
    return json_array_set_new(container, (size_t)json_integer_value(step), stolen);
}

/* Puts text at the place that entry's steps name, which must hold null. */
static int body_place(json_t *head, const json_t *entry, const unsigned char *text, size_t length,
                      struct err *err)
{
    size_t last = json_array_size(entry) - 1;
    json_t *container = head;
    for (size_t i = 1; i < last; i++)
        container = step_get(container, json_array_get(entry, i));
    const json_t *step = json_array_get(entry, last);
    if (!json_is_null(step_get(container, step)))
        return err_set(err, -EPROTO, "a body's path does not lead to null");
    json_t *string = json_text((const char *)text, length);
    if (!string || step_set(container, step, string) < 0)
        return err_set(err, -ENOMEM, "no memory for a body");
    return 0;
}

static int bodies_place(json_t *head, const json_t *bodies, const struct frame *frame,
                        struct err *err)
{
    size_t left = frame->header.body_bytes, i;
    const unsigned char *text = frame->body;
    json_t *entry;
    json_array_foreach(bodies, i, entry)
    {
        const json_t *length = json_array_get(entry, 0);
        if (json_array_size(entry) < 2 || !json_is_integer(length) ||
            json_integer_value(length) < 0 || (uint64_t)json_integer_value(length) > left)
            return err_set(err, -EPROTO, "entry %zu of \"bodies\" is not valid", i);
        size_t bytes = (size_t)json_integer_value(length);
        int rc = body_place(head, entry, text, bytes, err);
        if (rc < 0)
            return rc;
        text += bytes;
        left -= bytes;
    }
    if (left > 0)
        return err_set(err, -EPROTO, "%zu bytes of the frame belong to no body", left);
    return 0;
}

/* What json_parse calls an invalid argument is a violation when a frame carried it. */
static int parse_failed(struct err *err, const char *where)
{
    if (err && err->code == -EINVAL)
        err->code = -EPROTO;
    err_context(err, "%s", where);
    return err ? err->code : -EPROTO;
}

static int json_body_place(json_t *head, const json_t *bodies, const char *json_key,
                           const struct frame *frame, struct err *err)
{
    if (bodies || !json_key || json_object_get(head, json_key))
        return err_set(err, -EPROTO, "a JSON body has nowhere to go");
    if (frame->header.body_bytes > FRAME_JSON_BODY_BYTES_MAX)
        return err_set(err, -EMSGSIZE, "JSON body of the frame is larger than %u bytes",
                       FRAME_JSON_BODY_BYTES_MAX);
    json_t *value = body_parse(frame, err);
    if (!value)
        return parse_failed(err, "JSON body of the frame");
    if (json_object_set_new(head, json_key, value) < 0)
        return err_set(err, -ENOMEM, "no memory for a body");
    return 0;
}

json_t *message_decode(const struct frame *frame, const char *json_key, struct err *err)
{
    _cleanup_json_ json_t *head = python_json_parse(frame->head, frame->header.head_bytes, err);
    if (!head) {
        parse_failed(err, "head of the frame");
        return NULL;
    }
    if (!json_is_object(head)) {
        err_set(err, -EPROTO, "head of the frame is not an object but %s", json_type_name(head));
        return NULL;
    }
    /* Out of the tree first: a path must not lead into the list that is being walked. */
    _cleanup_json_ json_t *bodies = json_incref(json_object_get(head, "bodies"));
    json_object_del(head, "bodies");
    int rc;
    if (bodies && !json_is_array(bodies))
        rc = err_set(err, -EPROTO, "\"bodies\" is not an array but %s", json_type_name(bodies));
    else if (frame->header.flags & FRAME_JSON_BODY)
        rc = json_body_place(head, bodies, json_key, frame, err);
    else
        rc = bodies_place(head, bodies, frame, err);
    return rc < 0 ? NULL : json_incref(head);
}
