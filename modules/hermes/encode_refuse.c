/* SPDX-License-Identifier: MIT
 *
 * What cannot be sent, said with the tool, the argument and the place inside it.
 */
#include "hermes/encode.h"

#include <errno.h>

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
int encode_refuse(const struct encoder *e, const struct step *step, PyObject *exception,
                  PyObject *detail)
{
    _cleanup_object_ PyObject *text = detail;
    _cleanup_object_ PyObject *where = text ? step_text(step) : NULL;
    if (where)
        PyErr_Format(exception, "%s() argument %U %U", spec_python_name(e->spec), where, text);
    return -1;
}

int encode_too_large(const struct encoder *e)
{
    unsigned json_mib = FRAME_JSON_BODY_BYTES_MAX / (1024 * 1024);
    unsigned frame_mib = FRAME_BYTES_MAX / (1024 * 1024);

    if (e->inline_text)
        PyErr_Format(PyExc_ValueError,
                     "%s() arguments are too large: lists and dicts come to more than %u MiB of "
                     "JSON (a single long string may have %u MiB)",
                     spec_python_name(e->spec), json_mib, frame_mib);
    else
        PyErr_Format(PyExc_ValueError,
                     "%s() arguments are too large: one call carries at most %u MiB",
                     spec_python_name(e->spec), frame_mib);
    return -1;
}

int encode_check(struct encoder *e, int r)
{
    if (r == 0)
        return 0;
    if (r == -ENOMEM)
        PyErr_NoMemory();
    else if (e->inline_text)
        encode_too_large(e);
    else
        e->head_is_full = true;
    return -1;
}

int encode_surrogate_refuse(const struct encoder *e, const struct step *step, const char *what)
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
    return encode_refuse(
        e, step, PyExc_ValueError,
        PyUnicode_FromFormat("%s a lone surrogate at index %zd, which cannot be sent as "
                             "UTF-8",
                             what, index));
}
