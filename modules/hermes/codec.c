/* SPDX-License-Identifier: MIT
 *
 * What encoding and decoding share: the message's memory, the scanner.
 */
#include "hermes/codec.h"

void call_message_deinit(struct call_message *message)
{
    buf_deinit(&message->head);
    buf_deinit(&message->json_body);
    buf_deinit(&message->table);
    PyMem_Free(message->parts);
    message->parts = NULL;
    Py_CLEAR(message->owners);
}

static bool is_blank(Py_UCS4 c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0xfeff;
}

/* Text without the blanks around what lies between start and its end; NULL when nothing is left. */
static PyObject *text_strip(PyObject *text, Py_ssize_t start)
{
    Py_ssize_t end = PyUnicode_GET_LENGTH(text);

    while (start < end && is_blank(PyUnicode_READ_CHAR(text, start)))
        start++;
    while (end > start && is_blank(PyUnicode_READ_CHAR(text, end - 1)))
        end--;
    return start < end ? PyUnicode_Substring(text, start, end) : NULL;
}

/* The scanner says StopIteration(index) where no value begins. Its other words are those of
 * json.decoder: as long as nobody has imported that it fails without any, a SystemError. */
static void scan_error_convert(void)
{
    if (!PyErr_ExceptionMatches(PyExc_StopIteration) && !PyErr_ExceptionMatches(PyExc_SystemError))
        return;
    PyErr_Clear();
    PyErr_SetString(PyExc_ValueError, "no JSON value");
}

PyObject *codec_scan(struct module_state *state, PyObject *text, PyObject **ret_rest)
{
    Py_ssize_t start = 0, length = PyUnicode_GET_LENGTH(text);

    *ret_rest = NULL;
    while (start < length && is_blank(PyUnicode_READ_CHAR(text, start)))
        start++;
    _cleanup_object_ PyObject *index = PyLong_FromSsize_t(start);
    if (!index)
        return NULL;
    PyObject *scan_once = standby_scan_once(state), *args[] = {text, index};
    _cleanup_object_ PyObject *pair =
        scan_once ? PyObject_Vectorcall(scan_once, args, 2, NULL) : NULL;
    if (!pair) {
        scan_error_convert();
        return NULL;
    }
    Py_ssize_t end = PyLong_AsSsize_t(PyTuple_GET_ITEM(pair, 1));
    if (end < length) {
        *ret_rest = text_strip(text, end);
        if (!*ret_rest && PyErr_Occurred())
            return NULL;
    }
    return Py_NewRef(PyTuple_GET_ITEM(pair, 0));
}
