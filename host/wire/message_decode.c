/* SPDX-License-Identifier: MIT
 *
 * Frames to JSON trees. The frame comes from a stranger: every number and path of its "bodies" is
 * checked. Work is linear in the frame's bytes, since every step of a path costs bytes in the head.
 */
#include "wire/message.h"

#include "base/err.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ESCAPE_BYTES    6             /* \uXXXX */
#define SHOWN_BYTES_MAX (64u * 1024u) /* of bodies, in the stand-ins of one outline */

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

size_t message_lone_surrogate_find(const char *text, size_t length, size_t at, size_t end,
                                   size_t *ret_at)
{
    while (at < end) {
        const char *backslash = memchr(text + at, '\\', end - at);
        if (!backslash)
            break;
        at = (size_t)(backslash - text);
        int unit = escape_unit(backslash, length - at);
        bool high = is_high_surrogate(unit);
        if (high && length - at > ESCAPE_BYTES &&
            is_low_surrogate(escape_unit(backslash + ESCAPE_BYTES, length - at - ESCAPE_BYTES))) {
            at += 2 * ESCAPE_BYTES;
        } else if (high || is_low_surrogate(unit)) {
            *ret_at = at + ESCAPE_BYTES;
            return at;
        } else {
            at += length - at < 2 ? 1 : 2;
        }
    }
    *ret_at = at > end ? at : end;
    return *ret_at;
}

/* Parses JSON in which a Python str was written as it was: json writes the \u escapes of lone
 * surrogates for strings with undecodable bytes; jansson refuses them. */
static json_t *python_json_parse(const char *text, size_t length, struct err *err)
{
    size_t next, at = message_lone_surrogate_find(text, length, 0, length, &next);
    if (at >= length)
        return json_parse(text, length, JSON_DEPTH_MAX, err);
    _cleanup_buf_ struct buf copy = BUF_INIT(0);
    if (buf_append(&copy, text, length) < 0) {
        err_set(err, -ENOMEM, "no memory for JSON");
        return NULL;
    }
    char *fixed = (char *)copy.data;
    for (; at < length; at = message_lone_surrogate_find(fixed, length, next, length, &next))
        memcpy(fixed + at, "\\ufffd", ESCAPE_BYTES);
    return json_parse(fixed, length, JSON_DEPTH_MAX, err);
}

json_t *message_json_parse(const char *text, size_t length, struct err *err)
{
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

/* The container that all steps of entry but the last lead to; NULL: nothing. */
static json_t *container_get(json_t *head, const json_t *entry)
{
    json_t *container = head;
    for (size_t i = 1; i + 1 < json_array_size(entry); i++)
        container = step_get(container, json_array_get(entry, i));
    return container;
}

static const json_t *last_step(const json_t *entry)
{
    return json_array_get(entry, json_array_size(entry) - 1);
}

/* The whole text, or with an outline what stands for it; noted there. NULL: no memory. */
static json_t *body_string(const unsigned char *text, size_t length,
                           struct message_outline *outline, size_t *shown)
{
    struct message_body body = {.text = text, .length = length};
    if (!outline || length <= FRAME_INLINE_TEXT_MAX)
        body.stand_in = json_text((const char *)text, length);
    else if (*shown < SHOWN_BYTES_MAX)
        body.stand_in = json_text((const char *)text, utf8_floor(text, FRAME_INLINE_TEXT_MAX));
    else
        body.stand_in = json_string("...");
    *shown += FRAME_INLINE_TEXT_MAX;
    if (!outline || !body.stand_in)
        return body.stand_in;
    json_t *shared = json_incref(body.stand_in);
    if (message_outline_add(outline, &body) == 0)
        return shared;
    json_decref(shared);
    return NULL;
}

/* Puts text at the place that entry's steps name, which must hold null. */
static int body_place(json_t *head, const json_t *entry, const unsigned char *text, size_t length,
                      struct message_outline *outline, size_t *shown, struct err *err)
{
    json_t *container = container_get(head, entry);
    const json_t *step = last_step(entry);
    if (!json_is_null(step_get(container, step)))
        return err_set(err, -EPROTO, "a body's path does not lead to null");
    json_t *string = body_string(text, length, outline, shown);
    if (!string || step_set(container, step, string) < 0)
        return err_set(err, -ENOMEM, "no memory for a body");
    return 0;
}

static int bodies_place(json_t *head, const json_t *bodies, const struct frame *frame,
                        struct message_outline *outline, struct err *err)
{
    size_t shown = 0;
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
        int rc = body_place(head, entry, text, bytes, outline, &shown, err);
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
    json_t *value = message_json_parse((const char *)frame->body, frame->header.body_bytes, err);
    if (!value)
        return parse_failed(err, "JSON body of the frame");
    if (json_object_set_new(head, json_key, value) < 0)
        return err_set(err, -ENOMEM, "no memory for a body");
    return 0;
}

/* The head's object, and its "bodies" taken out of it: a path must not lead into the list that is
 * being walked. */
static json_t *head_parse(const struct frame *frame, json_t **ret_bodies, struct err *err)
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
    json_t *bodies = json_object_get(head, "bodies");
    if (bodies && !json_is_array(bodies)) {
        err_set(err, -EPROTO, "\"bodies\" is not an array but %s", json_type_name(bodies));
        return NULL;
    }
    *ret_bodies = json_incref(bodies);
    json_object_del(head, "bodies");
    return json_incref(head);
}

json_t *message_decode(const struct frame *frame, const char *json_key, struct err *err)
{
    _cleanup_json_ json_t *bodies = NULL;
    _cleanup_json_ json_t *head = head_parse(frame, &bodies, err);
    int rc;
    if (!head)
        return NULL;
    if (frame->header.flags & FRAME_JSON_BODY)
        rc = json_body_place(head, bodies, json_key, frame, err);
    else
        rc = bodies_place(head, bodies, frame, NULL, err);
    return rc < 0 ? NULL : json_incref(head);
}

/* ---- outlines ---- */

int message_outline_add(struct message_outline *outline, const struct message_body *body)
{
    size_t count = outline->count;
    if ((count & (count - 1)) == 0) { /* full at each power of two */
        struct message_body *parts =
            realloc(outline->parts, (count ? count * 2 : 1) * sizeof(*parts));
        if (!parts) {
            json_decref(body->stand_in);
            return -ENOMEM;
        }
        outline->parts = parts;
    }
    outline->parts[outline->count++] = *body;
    return 0;
}

int message_outline_read(const struct frame *frame, struct message_outline *ret_outline,
                         struct err *err)
{
    struct message_outline outline = {0};
    int rc = 0;
    outline.head = head_parse(frame, &outline.bodies, err);
    if (!outline.head)
        rc = err && err->code ? err->code : -EPROTO;
    else if (!(frame->header.flags & FRAME_JSON_BODY))
        rc = bodies_place(outline.head, outline.bodies, frame, &outline, err);
    else if (outline.bodies || json_object_get(outline.head, "args"))
        rc = err_set(err, -EPROTO, "a JSON body has nowhere to go");
    else if (frame->header.body_bytes > FRAME_JSON_BODY_BYTES_MAX)
        rc = err_set(err, -EMSGSIZE, "JSON body of the frame is larger than %u bytes",
                     FRAME_JSON_BODY_BYTES_MAX);
    if (rc < 0)
        message_outline_deinit(&outline);
    *ret_outline = outline;
    return rc;
}

void message_outline_deinit(struct message_outline *outline)
{
    for (size_t i = 0; i < outline->count; i++)
        json_decref(outline->parts[i].stand_in);
    free(outline->parts);
    json_decref(outline->bodies);
    json_decref(outline->head);
    *outline = (struct message_outline){0};
}

/* Makes entry lead to the end of `unused` and puts a null there. */
static int entry_redirect(json_t *entry, json_t *unused)
{
    json_t *length = json_incref(json_array_get(entry, 0));
    json_array_clear(entry);
    int failed = json_array_append_new(entry, length);
    failed |= json_array_append_new(entry, json_string("unused"));
    failed |= json_array_append_new(entry, json_integer((json_int_t)json_array_size(unused)));
    return failed | json_array_append_new(unused, json_null()) ? -ENOMEM : 0;
}

int message_outline_restore(const struct message_outline *outline, json_t *head)
{
    _cleanup_json_ json_t *unused = json_array();
    int rc = unused ? 0 : -ENOMEM;
    for (size_t i = 0; i < outline->count && rc == 0; i++) {
        json_t *entry = json_array_get(outline->bodies, i);
        json_t *container = container_get(head, entry);
        const json_t *step = last_step(entry);
        if (step_get(container, step) != outline->parts[i].stand_in)
            rc = entry_redirect(entry, unused);
        else if (step_set(container, step, json_null()) < 0)
            rc = -ENOMEM;
    }
    if (rc == 0 && (json_object_set(head, "unused", unused) < 0 ||
                    json_object_set(head, "bodies", outline->bodies) < 0))
        rc = -ENOMEM;
    return rc;
}
