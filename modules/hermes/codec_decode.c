/* SPDX-License-Identifier: MIT
 *
 * Replies to Python values: JSON by CPython's C scanner, raw bodies put in their places, results
 * brought to one shape (a dict; text after the JSON in "_hint"; no lone surrogates).
 */
#include "hermes/codec.h"

#include <string.h>

static int unreadable(const char *what)
{
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_ValueError) &&
        !PyErr_ExceptionMatches(PyExc_LookupError) && !PyErr_ExceptionMatches(PyExc_TypeError))
        return -1; /* no memory, recursion: not the host's fault */
    PyErr_Clear();
    PyErr_Format(PyExc_RuntimeError, "the host sent a reply that cannot be read: %s", what);
    return -1;
}

/* ---- bodies -----------------------------------------------------------------------------------
 */

/* A key leads into an object, an index into an array. */
static bool step_fits(PyObject *container, PyObject *step)
{
    return PyDict_CheckExact(container) ? PyUnicode_CheckExact(step)
                                        : PyList_CheckExact(container) && PyLong_CheckExact(step);
}

/* entry: [length, step, step, ...] */
static int body_place(PyObject *head, PyObject *entry, const unsigned char *data, size_t length)
{
    Py_ssize_t count = PyList_GET_SIZE(entry);
    _cleanup_object_ PyObject *container = Py_NewRef(head);
    _cleanup_object_ PyObject *text =
        PyUnicode_DecodeUTF8((const char *)data, (Py_ssize_t)length, "replace");

    for (Py_ssize_t i = 1; text && i < count; i++) {
        PyObject *step = PyList_GET_ITEM(entry, i);
        if (!step_fits(container, step))
            return -1;
        if (i == count - 1)
            return PyObject_SetItem(container, step, text);
        PyObject *next = PyObject_GetItem(container, step);
        if (!next)
            return -1;
        Py_SETREF(container, next);
    }
    return -1;
}

/* The length of an entry when the bytes that are left hold it, else -1. */
static Py_ssize_t entry_length(PyObject *entry, size_t left)
{
    if (!PyList_CheckExact(entry) || PyList_GET_SIZE(entry) < 2 ||
        !PyLong_CheckExact(PyList_GET_ITEM(entry, 0)))
        return -1;
    Py_ssize_t length = PyLong_AsSsize_t(PyList_GET_ITEM(entry, 0));
    if (length < 0)
        PyErr_Clear();
    return length < 0 || (size_t)length > left ? -1 : length;
}

static int bodies_place(struct module_state *state, PyObject *head, const unsigned char *data,
                        size_t left)
{
    PyObject *table = PyDict_GetItemWithError(head, state->key_bodies);

    if (!table)
        return left == 0 ? 0 : unreadable("bytes that belong nowhere");
    if (!PyList_CheckExact(table))
        return unreadable("its list of bodies is no list");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(table); i++) {
        PyObject *entry = PyList_GET_ITEM(table, i);
        Py_ssize_t length = entry_length(entry, left);
        if (length < 0)
            return unreadable("a body's length is wrong");
        if (body_place(head, entry, data, (size_t)length) < 0)
            return unreadable("a body has no place");
        data += length;
        left -= (size_t)length;
    }
    return left == 0 ? 0 : unreadable("bytes that belong nowhere");
}

/* ---- lone surrogates --------------------------------------------------------------------------
 */

static bool has_surrogate_escape(const unsigned char *data, size_t length)
{
    return memmem(data, length, "\\ud", 3) || memmem(data, length, "\\uD", 3);
}

static PyObject *text_clean(PyObject *text)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    bool changed = false;

    if (PyUnicode_MAX_CHAR_VALUE(text) < 0xd800)
        return Py_NewRef(text);
    Py_UCS4 *points = PyUnicode_AsUCS4Copy(text);
    if (!points)
        return NULL;
    for (Py_ssize_t i = 0; i < length; i++) {
        if (points[i] >= 0xd800 && points[i] <= 0xdfff) {
            points[i] = 0xfffd;
            changed = true;
        }
    }
    PyObject *clean =
        changed ? PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, points, length) : Py_NewRef(text);
    PyMem_Free(points);
    return clean;
}

static PyObject *value_clean(PyObject *value);

static PyObject *list_clean(PyObject *list)
{
    Py_ssize_t count = PyList_GET_SIZE(list);
    _cleanup_object_ PyObject *clean = PyList_New(0);

    for (Py_ssize_t i = 0; clean && i < count && i < PyList_GET_SIZE(list); i++) {
        _cleanup_object_ PyObject *item = value_clean(PyList_GET_ITEM(list, i));
        if (!item || PyList_Append(clean, item) < 0)
            return NULL;
    }
    return object_steal(&clean);
}

static PyObject *dict_clean(PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    _cleanup_object_ PyObject *clean = PyDict_New();

    while (clean && PyDict_Next(dict, &position, &key, &value)) {
        _cleanup_object_ PyObject *new_key = value_clean(key);
        _cleanup_object_ PyObject *new_value = new_key ? value_clean(value) : NULL;
        if (!new_value || PyDict_SetItem(clean, new_key, new_value) < 0)
            return NULL;
    }
    return object_steal(&clean);
}

/* A copy of the value in which each lone surrogate is U+FFFD. */
static PyObject *value_clean(PyObject *value)
{
    PyObject *clean;

    if (PyUnicode_CheckExact(value))
        return text_clean(value);
    if (!PyList_CheckExact(value) && !PyDict_CheckExact(value))
        return Py_NewRef(value);
    if (Py_EnterRecursiveCall(" while reading a tool's result") != 0)
        return NULL;
    clean = PyList_CheckExact(value) ? list_clean(value) : dict_clean(value);
    Py_LeaveRecursiveCall();
    return clean;
}

/* ---- one shape --------------------------------------------------------------------------------
 */

static int hint_add(struct module_state *state, PyObject *result, PyObject *rest)
{
    PyObject *hint = PyDict_GetItemWithError(result, state->key_hint);

    if (!hint && PyErr_Occurred())
        return -1;
    if (!hint || !PyUnicode_CheckExact(hint))
        return PyDict_SetItem(result, state->key_hint, rest);
    _cleanup_object_ PyObject *both = PyUnicode_FromFormat("%U\n%U", hint, rest);
    return both ? PyDict_SetItem(result, state->key_hint, both) : -1;
}

/* Text that is a JSON object in disguise becomes that object, once. */
static PyObject *text_unwrap(struct module_state *state, PyObject *text)
{
    Py_ssize_t start = 0, length = PyUnicode_GET_LENGTH(text);

    while (start < length && Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, start)))
        start++;
    if (start < length && PyUnicode_READ_CHAR(text, start) == 0xfeff)
        start++;
    if (start == length || PyUnicode_READ_CHAR(text, start) != '{')
        return Py_NewRef(text);
    _cleanup_object_ PyObject *rest = NULL;
    _cleanup_object_ PyObject *value = codec_scan(state, text, &rest);
    if (!value && !PyErr_ExceptionMatches(PyExc_ValueError))
        return NULL;
    PyErr_Clear();
    if (!value || !PyDict_CheckExact(value))
        return Py_NewRef(text);
    if (rest && hint_add(state, value, rest) < 0)
        return NULL;
    return object_steal(&value);
}

/* Steals value. Always a dict, or NULL. */
static PyObject *result_normalise(struct module_state *state, PyObject *value, PyObject *rest,
                                  bool clean)
{
    _cleanup_object_ PyObject *result = value;

    if (PyUnicode_CheckExact(result))
        Py_SETREF(result, text_unwrap(state, result));
    if (result && clean)
        Py_SETREF(result, value_clean(result));
    if (result && !PyDict_CheckExact(result)) {
        _cleanup_object_ PyObject *wrapped = PyDict_New();
        if (!wrapped || PyDict_SetItem(wrapped, state->key_result, result) < 0)
            return NULL;
        Py_SETREF(result, object_steal(&wrapped));
    }
    if (result && rest && hint_add(state, result, rest) < 0)
        return NULL;
    return object_steal(&result);
}

/* ---- failures that are raised -----------------------------------------------------------------
 */

static int tool_error_raise(struct module_state *state, const struct tool_spec *spec,
                            PyObject *message, PyObject *result)
{
    _cleanup_object_ PyObject *text = PyObject_Str(message);
    _cleanup_object_ PyObject *error = text ? PyObject_CallOneArg(state->tool_error, text) : NULL;
    _cleanup_object_ PyObject *name = PyUnicode_FromString(spec->name);

    if (error && name && PyObject_SetAttrString(error, "result", result) == 0 &&
        PyObject_SetAttrString(error, "tool", name) == 0)
        PyErr_SetObject(state->tool_error, error);
    return -1;
}

static int failure_check(struct module_state *state, const struct tool_spec *spec, PyObject *result)
{
    if (!(spec->flags & SPEC_RAISES))
        return 0;
    PyObject *message = PyDict_GetItemWithError(result, state->key_error);
    if (!message)
        return PyErr_Occurred() ? -1 : 0;
    if (message == Py_None)
        return 0;
    return tool_error_raise(state, spec, message, result);
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static PyObject *bytes_scan(struct module_state *state, const unsigned char *data, size_t length,
                            PyObject **ret_rest)
{
    _cleanup_object_ PyObject *text =
        PyUnicode_DecodeUTF8((const char *)data, (Py_ssize_t)length, "replace");
    return text ? codec_scan(state, text, ret_rest) : NULL;
}

static PyObject *head_result(struct module_state *state, const struct call_reply *reply)
{
    const unsigned char *bytes = reply->data + reply->start;
    _cleanup_object_ PyObject *rest = NULL;
    _cleanup_object_ PyObject *head = bytes_scan(state, bytes, reply->head_bytes, &rest);

    if (!head || !PyDict_CheckExact(head) || rest) {
        unreadable("its head is no JSON object");
        return NULL;
    }
    if (bodies_place(state, head, bytes + reply->head_bytes, reply->body_bytes) < 0)
        return NULL;
    PyObject *result = PyDict_GetItemWithError(head, state->key_result);
    if (!result)
        unreadable("it has no result");
    return Py_XNewRef(result);
}

PyObject *codec_decode_reply(struct module_state *state, const struct tool_spec *spec,
                             const struct call_reply *reply)
{
    const unsigned char *bytes = reply->data + reply->start;
    _cleanup_object_ PyObject *rest = NULL;
    PyObject *value;
    bool is_body = reply->flags & FRAME_JSON_BODY;

    if (is_body)
        value = bytes_scan(state, bytes + reply->head_bytes, reply->body_bytes, &rest);
    else
        value = head_result(state, reply);
    if (!value && is_body)
        unreadable("its body is no JSON");
    if (!value)
        return NULL;
    bool scans_body = is_body || PyUnicode_CheckExact(value);
    bool clean = has_surrogate_escape(bytes, reply->head_bytes) ||
                 (scans_body && has_surrogate_escape(bytes + reply->head_bytes, reply->body_bytes));
    _cleanup_object_ PyObject *result = result_normalise(state, value, rest, clean);
    if (!result || failure_check(state, spec, result) < 0)
        return NULL;
    return object_steal(&result);
}
