/* SPDX-License-Identifier: MIT
 *
 * Arguments to one CALL frame, written straight into its buffers. When the head would get too
 * large, all of the arguments are written a second time, as one JSON body.
 */
#include "hermes/encode.h"

#include <string.h>

/* The head object and "args" are levels of their own. */
#define DEPTH_OF_ARGS 2

static int argument_encode(struct encoder *e, const char *name, PyObject *value, bool first)
{
    struct step step = {.name = name};
    int r = first ? 0 : buf_append(e->out, ",", 1);

    if (r == 0)
        r = encode_json_text(e->out, name, strlen(name));
    if (r == 0)
        r = buf_append(e->out, ":", 1);
    return encode_check(e, r) < 0 ? -1 : encode_value(e, value, &step, DEPTH_OF_ARGS + 1);
}

/* SPEC_OPEN: what no parameter took, under the names that the caller used. */
static int extras_encode(struct encoder *e, const struct bound_args *args, bool first)
{
    for (Py_ssize_t i = 0; args->extra_count && i < PyTuple_GET_SIZE(args->extra_names); i++) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(args->extra_names, i));
        if (!name)
            return -1;
        if (spec_find_python_param(e->spec, name) >= 0 || spec_find_param(e->spec, name) >= 0)
            continue;
        if (argument_encode(e, name, args->extra_values[i], first) < 0)
            return -1;
        first = false;
    }
    return 0;
}

static int arguments_encode(struct encoder *e, const struct bound_args *args)
{
    bool first = true;

    if (encode_check(e, buf_append(e->out, "{", 1)) < 0)
        return -1;
    for (size_t i = 0; i < e->spec->param_count; i++) {
        if (!args->values[i])
            continue;
        if (argument_encode(e, e->spec->params[i].name, args->values[i], first) < 0)
            return -1;
        first = false;
    }
    if (extras_encode(e, args, first) < 0)
        return -1;
    return encode_check(e, buf_append(e->out, "}", 1));
}

static int head_begin(struct encoder *e)
{
    struct buf *head = &e->message->head;
    int r = buf_reserve(head, 256);

    if (r == 0)
        r = buf_append(head, "{\"tool\":", 8);
    if (r == 0)
        r = encode_json_text(head, e->spec->name, strlen(e->spec->name));
    return r;
}

static int table_append(struct call_message *message)
{
    int r = message->table.length > 0 ? buf_append_text(&message->head, ",\"bodies\":[") : 0;

    if (r == 0 && message->table.length > 0)
        r = buf_append(&message->head, message->table.data, message->table.length);
    if (r == 0 && message->table.length > 0)
        r = buf_append(&message->head, "]", 1);
    return r < 0 ? r : buf_append(&message->head, "}", 1);
}

/* Long strings out of line. */
static int encode_with_bodies(struct encoder *e, const struct bound_args *args)
{
    int r = head_begin(e);

    e->out = &e->message->head;
    if (r == 0)
        r = buf_append(e->out, ",\"args\":", 8);
    if (encode_check(e, r) < 0 || arguments_encode(e, args) < 0)
        return -1;
    if (encode_check(e, table_append(e->message)) < 0)
        return -1;
    if (e->message->body_bytes + e->message->head.length > FRAME_BYTES_MAX)
        return encode_too_large(e);
    return 0;
}

static int encode_as_json_body(struct encoder *e, const struct bound_args *args)
{
    struct call_message *message = e->message;

    buf_clear(&message->head);
    message->table.length = 0;
    message->part_count = 0;
    e->inline_text = true;
    e->out = &message->json_body;
    if (arguments_encode(e, args) < 0)
        return -1;
    int r = head_begin(e);
    if (r == 0)
        r = buf_append(&message->head, "}", 1);
    if (encode_check(e, r) < 0 ||
        encode_part_add(message, message->json_body.data, message->json_body.length) < 0)
        return -1;
    message->body_bytes = message->json_body.length;
    message->flags = FRAME_JSON_BODY;
    Py_CLEAR(message->owners);
    return 0;
}

int codec_encode_call(struct call_message *message, const struct tool_spec *spec,
                      const struct bound_args *args)
{
    struct encoder e = {.message = message, .spec = spec};

    *message = (struct call_message){0};
    buf_init(&message->head, FRAME_HEAD_BYTES_MAX);
    buf_init(&message->table, FRAME_HEAD_BYTES_MAX);
    buf_init(&message->json_body, FRAME_JSON_BODY_BYTES_MAX);
    if (encode_with_bodies(&e, args) == 0)
        return 0;
    return e.head_is_full ? encode_as_json_body(&e, args) : -1;
}
