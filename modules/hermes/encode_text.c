/* SPDX-License-Identifier: MIT
 *
 * Strings: short ones as JSON text in the head, long ones as bodies that leave from where they are.
 */
#include "hermes/encode.h"

#include <errno.h>
#include <string.h>

int encode_json_text(struct buf *out, const char *text, size_t length)
{
    static const char hex[] = "0123456789abcdef";
    size_t from = 0;
    int r = buf_append(out, "\"", 1);

    for (size_t i = 0; i < length && r == 0; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        r = buf_append(out, text + from, i - from);
        from = i + 1;
        if (r < 0)
            break;
        if (c == '"' || c == '\\')
            r = buf_append(out, (char[]){'\\', (char)c}, 2);
        else if (c == '\n')
            r = buf_append(out, "\\n", 2);
        else
            r = buf_append(out, (char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
    }
    if (r == 0)
        r = buf_append(out, text + from, length - from);
    return r < 0 ? r : buf_append(out, "\"", 1);
}

/* The UTF-8 of a str and what keeps it alive. A long text that is not ASCII gets bytes of its own:
 * AsUTF8AndSize would leave a second copy in the str for as long as it lives. */
static PyObject *text_utf8(PyObject *text, const char **ret_data, Py_ssize_t *ret_length)
{
    if (PyUnicode_GetLength(text) > (Py_ssize_t)FRAME_INLINE_TEXT_MAX &&
        !PyUnicode_IS_ASCII(text)) {
        PyObject *bytes = PyUnicode_AsUTF8String(text);
        if (bytes) {
            *ret_data = PyBytes_AS_STRING(bytes);
            *ret_length = PyBytes_GET_SIZE(bytes);
        }
        return bytes;
    }
    *ret_data = PyUnicode_AsUTF8AndSize(text, ret_length);
    return *ret_data ? Py_NewRef(text) : NULL;
}

int encode_part_add(struct call_message *message, const void *data, size_t length)
{
    if (message->part_count == message->part_capacity) {
        size_t capacity = message->part_capacity ? message->part_capacity * 2 : 4;
        struct frame_part *parts = PyMem_Realloc(message->parts, capacity * sizeof(*parts));
        if (!parts) {
            PyErr_NoMemory();
            return -1;
        }
        message->parts = parts;
        message->part_capacity = capacity;
    }
    message->parts[message->part_count++] = (struct frame_part){data, length};
    return 0;
}

static int steps_append(struct buf *table, const struct step *step)
{
    if (!step->parent) {
        int r = buf_append_text(table, ",\"args\",");
        return r < 0 ? r : encode_json_text(table, step->name, strlen(step->name));
    }
    int r = steps_append(table, step->parent);
    if (r < 0)
        return r;
    if (!step->key)
        return buf_append_format(table, ",%zd", step->index);
    Py_ssize_t length;
    const char *key = PyUnicode_AsUTF8AndSize(step->key, &length); /* was encoded before: cached */
    r = key ? buf_append(table, ",", 1) : -ENOMEM;
    return r < 0 ? r : encode_json_text(table, key, (size_t)length);
}

/* Steals no reference: owner is kept in message->owners. */
static int body_add(struct encoder *e, PyObject *owner, const char *data, size_t length,
                    const struct step *step)
{
    struct call_message *message = e->message;

    message->body_bytes += length;
    if (message->body_bytes > FRAME_BYTES_MAX)
        return encode_too_large(e);
    if (!message->owners && !(message->owners = PyList_New(0)))
        return -1;
    if (PyList_Append(message->owners, owner) < 0 || encode_part_add(message, data, length) < 0)
        return -1;
    int r = buf_append_format(&message->table, "%s[%zu", message->table.length ? "," : "", length);
    if (r == 0)
        r = steps_append(&message->table, step);
    if (r == 0)
        r = buf_append(&message->table, "]", 1);
    return encode_check(e, r < 0 ? r : buf_append(e->out, "null", 4));
}

int encode_text(struct encoder *e, PyObject *text, const struct step *step)
{
    Py_ssize_t length = 0;
    const char *data = NULL;
    _cleanup_object_ PyObject *owner = text_utf8(text, &data, &length);

    if (!owner)
        return encode_surrogate_refuse(e, step, "has");
    if (!e->inline_text && (size_t)length > FRAME_INLINE_TEXT_MAX)
        return body_add(e, owner, data, (size_t)length, step);
    return encode_check(e, encode_json_text(e->out, data, (size_t)length));
}
