/* SPDX-License-Identifier: MIT
 *
 * Arguments to JSON text, written straight into the frame's buffers. Long strings are not copied:
 * they leave from where they are (wire/message.h). When the head would get too large, all of the
 * arguments are written a second time, as one JSON body.
 */
#include "hermes/codec.h"

#include <errno.h>
#include <string.h>

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
    bool inline_text; /* the second pass: nothing leaves as a body of its own */
};

/* The head object and "args" are levels of their own. */
#define DEPTH_OF_ARGS 2

static int value_encode(struct encoder *e, PyObject *value, const struct step *step, int depth);

/* ---- what went wrong, and where ---------------------------------------------------------------
 */

/* "'urls'[2]['name']" */
static PyObject *step_text(const struct step *step)
{
    if (!step->parent)
        return PyUnicode_FromFormat("'%s'", step->name);
    _cleanup_object_ PyObject *before = step_text(step->parent);
    if (!before)
        return NULL;
    return step->key ? PyUnicode_FromFormat("%U[%R]", before, step->key)
                     : PyUnicode_FromFormat("%U[%zd]", before, step->index);
}

/* Steals detail (a str, may be NULL after a failure). Always -1. */
static int refuse(const struct encoder *e, const struct step *step, PyObject *exception,
                  PyObject *detail)
{
    _cleanup_object_ PyObject *text = detail;
    _cleanup_object_ PyObject *where = text ? step_text(step) : NULL;
    if (where)
        PyErr_Format(exception, "%s() argument %U %U", spec_python_name(e->spec), where, text);
    return -1;
}

/* A buffer's refusal as an exception. */
static int buffer_check(const struct encoder *e, int r)
{
    if (r == 0)
        return 0;
    if (r == -ENOMEM)
        PyErr_NoMemory();
    else
        PyErr_Format(PyExc_ValueError,
                     "%s() arguments are too large: one call carries at most %u MiB",
                     spec_python_name(e->spec), FRAME_BYTES_MAX / (1024 * 1024));
    return -1;
}

static int surrogate_refuse(const struct encoder *e, const struct step *step, const char *what)
{
    PyObject *type, *value, *traceback;
    Py_ssize_t index = 0;

    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        return -1;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (PyUnicodeEncodeError_GetStart(value, &index) < 0)
        PyErr_Clear();
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return refuse(e, step, PyExc_ValueError,
                  PyUnicode_FromFormat("%s a lone surrogate at index %zd, which cannot be sent as "
                                       "UTF-8",
                                       what, index));
}

/* ---- strings ----------------------------------------------------------------------------------
 */

static int text_append(struct buf *out, const char *text, size_t length)
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

static int parts_grow(struct call_message *message)
{
    if (message->part_count < message->part_capacity)
        return 0;
    size_t capacity = message->part_capacity ? message->part_capacity * 2 : 4;
    struct frame_part *parts = PyMem_Realloc(message->parts, capacity * sizeof(*parts));
    if (!parts) {
        PyErr_NoMemory();
        return -1;
    }
    message->parts = parts;
    message->part_capacity = capacity;
    return 0;
}

static int steps_append(struct buf *table, const struct step *step)
{
    if (!step->parent) {
        int r = buf_append_text(table, ",\"args\",");
        return r < 0 ? r : text_append(table, step->name, strlen(step->name));
    }
    int r = steps_append(table, step->parent);
    if (r < 0)
        return r;
    if (!step->key)
        return buf_append_format(table, ",%zd", step->index);
    Py_ssize_t length;
    const char *key = PyUnicode_AsUTF8AndSize(step->key, &length); /* was encoded before: cached */
    r = key ? buf_append(table, ",", 1) : -ENOMEM;
    return r < 0 ? r : text_append(table, key, (size_t)length);
}

/* Steals no reference: owner is kept in message->owners. */
static int body_add(struct encoder *e, PyObject *owner, const char *data, size_t length,
                    const struct step *step)
{
    struct call_message *message = e->message;

    message->body_bytes += length;
    if (message->body_bytes > FRAME_BYTES_MAX)
        return buffer_check(e, -EMSGSIZE);
    if (!message->owners && !(message->owners = PyList_New(0)))
        return -1;
    if (PyList_Append(message->owners, owner) < 0 || parts_grow(message) < 0)
        return -1;
    message->parts[message->part_count++] = (struct frame_part){data, length};
    int r = buf_append_format(&message->table, "%s[%zu", message->table.length ? "," : "", length);
    if (r == 0)
        r = steps_append(&message->table, step);
    if (r == 0)
        r = buf_append(&message->table, "]", 1);
    return buffer_check(e, r < 0 ? r : buf_append(e->out, "null", 4));
}

static int text_encode(struct encoder *e, PyObject *text, const struct step *step)
{
    Py_ssize_t length = 0;
    const char *data = NULL;
    _cleanup_object_ PyObject *owner = text_utf8(text, &data, &length);

    if (!owner)
        return surrogate_refuse(e, step, "has");
    if (!e->inline_text && (size_t)length > FRAME_INLINE_TEXT_MAX)
        return body_add(e, owner, data, (size_t)length, step);
    return buffer_check(e, text_append(e->out, data, (size_t)length));
}

/* ---- numbers ----------------------------------------------------------------------------------
 */

static int integer_encode(struct encoder *e, PyObject *value, const struct step *step)
{
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);

    if (overflow)
        return refuse(e, step, PyExc_OverflowError,
                      PyUnicode_FromString("is an int that does not fit into 64 bits"));
    if (number == -1 && PyErr_Occurred())
        return -1;
    return buffer_check(e, buf_append_format(e->out, "%lld", number));
}

static int float_encode(struct encoder *e, PyObject *value, const struct step *step)
{
    double number = PyFloat_AS_DOUBLE(value);

    if (!Py_IS_FINITE(number))
        return refuse(e, step, PyExc_ValueError,
                      PyUnicode_FromFormat("is %s, which JSON cannot express",
                                           Py_IS_NAN(number) ? "nan" : "infinite"));
    char *text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (!text)
        return -1;
    int r = buf_append_text(e->out, text);
    PyMem_Free(text);
    return buffer_check(e, r);
}

/* ---- containers -------------------------------------------------------------------------------
 */

/* The size is read again each time: __fspath__ of an item may change the list. */
static int list_encode(struct encoder *e, PyObject *list, const struct step *step, int depth)
{
    bool is_list = PyList_Check(list);

    if (buffer_check(e, buf_append(e->out, "[", 1)) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < (is_list ? PyList_GET_SIZE(list) : PyTuple_GET_SIZE(list)); i++) {
        struct step here = {.parent = step, .index = i};
        _cleanup_object_ PyObject *item =
            Py_NewRef(is_list ? PyList_GET_ITEM(list, i) : PyTuple_GET_ITEM(list, i));
        if (i > 0 && buffer_check(e, buf_append(e->out, ",", 1)) < 0)
            return -1;
        if (value_encode(e, item, &here, depth + 1) < 0)
            return -1;
    }
    return buffer_check(e, buf_append(e->out, "]", 1));
}

static int pair_encode(struct encoder *e, PyObject *key, PyObject *value, const struct step *step,
                       int depth)
{
    struct step here = {.parent = step, .key = key};
    Py_ssize_t length;
    const char *name = PyUnicode_AsUTF8AndSize(key, &length);

    if (!name)
        return surrogate_refuse(e, step, "has a key with");
    int r = text_append(e->out, name, (size_t)length);
    if (r == 0)
        r = buf_append(e->out, ":", 1);
    return buffer_check(e, r) < 0 ? -1 : value_encode(e, value, &here, depth + 1);
}

/* A dict with str subclasses as keys may hold one text twice, and the host refuses that. */
static PyObject *keys_normalise(PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    bool exact = true;

    while (exact && PyDict_Next(dict, &position, &key, &value))
        exact = !PyUnicode_Check(key) || PyUnicode_CheckExact(key);
    if (exact)
        return Py_NewRef(dict);
    _cleanup_object_ PyObject *plain = PyDict_New();
    for (position = 0; plain && PyDict_Next(dict, &position, &key, &value);) {
        _cleanup_object_ PyObject *text =
            PyUnicode_Check(key) ? PyUnicode_FromObject(key) : Py_NewRef(key);
        if (!text || PyDict_SetItem(plain, text, value) < 0)
            return NULL;
    }
    return object_steal(&plain);
}

static int pairs_encode(struct encoder *e, PyObject *dict, const struct step *step, int depth)
{
    PyObject *key, *value;
    Py_ssize_t position = 0, size = PyDict_Size(dict), count = 0;

    while (PyDict_Next(dict, &position, &key, &value)) {
        _cleanup_object_ PyObject *held_key = Py_NewRef(key);
        _cleanup_object_ PyObject *held_value = Py_NewRef(value);
        if (!PyUnicode_Check(key))
            return refuse(e, step, PyExc_TypeError,
                          PyUnicode_FromFormat("has a key of type %s; keys must be str",
                                               Py_TYPE(key)->tp_name));
        if (count++ > 0 && buffer_check(e, buf_append(e->out, ",", 1)) < 0)
            return -1;
        if (pair_encode(e, held_key, held_value, step, depth) < 0)
            return -1;
        if (PyDict_Size(dict) != size)
            return refuse(e, step, PyExc_RuntimeError,
                          PyUnicode_FromString("is a dict that changed size during the call"));
    }
    return 0;
}

static int dict_encode(struct encoder *e, PyObject *dict, const struct step *step, int depth)
{
    _cleanup_object_ PyObject *plain = keys_normalise(dict);
    if (!plain || buffer_check(e, buf_append(e->out, "{", 1)) < 0)
        return -1;
    if (pairs_encode(e, plain, step, depth) < 0)
        return -1;
    return buffer_check(e, buf_append(e->out, "}", 1));
}

/* ---- any value --------------------------------------------------------------------------------
 */

static const char *type_advice(PyObject *value)
{
    if (PyBytes_Check(value) || PyByteArray_Check(value))
        return " (decode it to str first)";
    if (PyAnySet_Check(value))
        return " (use a list)";
    if (PyCoro_CheckExact(value))
        return " (await it first)";
    return "";
}

static int path_encode(struct encoder *e, PyObject *value, const struct step *step)
{
    _cleanup_object_ PyObject *method =
        PyObject_GetAttrString((PyObject *)Py_TYPE(value), "__fspath__");
    if (!method) {
        PyErr_Clear();
        return refuse(e, step, PyExc_TypeError,
                      PyUnicode_FromFormat("must be str, int, float, bool, None, list, dict or a "
                                           "path, not %s%s",
                                           Py_TYPE(value)->tp_name, type_advice(value)));
    }
    _cleanup_object_ PyObject *path = PyOS_FSPath(value);
    if (!path)
        return -1;
    if (!PyUnicode_Check(path))
        return refuse(e, step, PyExc_TypeError,
                      PyUnicode_FromFormat("is a path of bytes; paths must be str"));
    return text_encode(e, path, step);
}

/* Subclasses of the JSON types are taken for what they hold; their methods are never called. */
static int value_encode(struct encoder *e, PyObject *value, const struct step *step, int depth)
{
    if (PyUnicode_Check(value))
        return text_encode(e, value, step);
    if (value == Py_None)
        return buffer_check(e, buf_append(e->out, "null", 4));
    if (PyBool_Check(value))
        return buffer_check(e, buf_append_text(e->out, value == Py_True ? "true" : "false"));
    if (PyLong_Check(value))
        return integer_encode(e, value, step);
    if (PyFloat_Check(value))
        return float_encode(e, value, step);
    bool is_dict = PyDict_Check(value);
    if (!is_dict && !PyList_Check(value) && !PyTuple_Check(value))
        return path_encode(e, value, step);
    if (depth > JSON_DEPTH_MAX)
        return refuse(e, step->parent ? step->parent : step, PyExc_ValueError,
                      PyUnicode_FromFormat("is nested deeper than %d levels, or contains itself",
                                           JSON_DEPTH_MAX));
    return is_dict ? dict_encode(e, value, step, depth) : list_encode(e, value, step, depth);
}

static int argument_encode(struct encoder *e, const char *name, PyObject *value, bool first)
{
    struct step step = {.name = name};
    int r = first ? 0 : buf_append(e->out, ",", 1);

    if (r == 0)
        r = text_append(e->out, name, strlen(name));
    if (r == 0)
        r = buf_append(e->out, ":", 1);
    return buffer_check(e, r) < 0 ? -1 : value_encode(e, value, &step, DEPTH_OF_ARGS + 1);
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

    if (buffer_check(e, buf_append(e->out, "{", 1)) < 0)
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
    return buffer_check(e, buf_append(e->out, "}", 1));
}

static int head_begin(struct encoder *e)
{
    struct buf *head = &e->message->head;
    int r = buf_reserve(head, 256);

    if (r == 0)
        r = buf_append(head, "{\"tool\":", 8);
    if (r == 0)
        r = text_append(head, e->spec->name, strlen(e->spec->name));
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

/* Long strings out of line. The head may come out too large: that is the caller's to see. */
static int encode_with_bodies(struct encoder *e, const struct bound_args *args)
{
    int r = head_begin(e);

    e->out = &e->message->head;
    if (r == 0)
        r = buf_append(e->out, ",\"args\":", 8);
    if (buffer_check(e, r) < 0 || arguments_encode(e, args) < 0)
        return -1;
    if (buffer_check(e, table_append(e->message)) < 0)
        return -1;
    return buffer_check(
        e, e->message->body_bytes + e->message->head.length > FRAME_BYTES_MAX ? -EMSGSIZE : 0);
}

static int encode_as_json_body(struct encoder *e, const struct bound_args *args)
{
    struct call_message *message = e->message;

    buf_clear(&message->head);
    buf_deinit(&message->table);
    message->part_count = 0;
    e->inline_text = true;
    e->out = &message->json_body;
    if (arguments_encode(e, args) < 0)
        return -1;
    int r = head_begin(e);
    if (r == 0)
        r = buf_append(&message->head, "}", 1);
    if (r == 0 && message->head.length + message->json_body.length > FRAME_BYTES_MAX)
        r = -EMSGSIZE;
    if (buffer_check(e, r) < 0 || parts_grow(message) < 0)
        return -1;
    message->parts[message->part_count++] =
        (struct frame_part){message->json_body.data, message->json_body.length};
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
    buf_init(&message->head, FRAME_BYTES_MAX);
    buf_init(&message->json_body, FRAME_BYTES_MAX);
    if (encode_with_bodies(&e, args) < 0)
        return -1;
    if (message->head.length <= FRAME_HEAD_BYTES_MAX)
        return 0;
    return encode_as_json_body(&e, args);
}
