/* SPDX-License-Identifier: MIT
 *
 * json_parse, shell_quote and retry: what scripts over tools need all the time. They rely on
 * nothing that a script can rebind.
 */
#include "hermes/codec.h"

#include "base/str.h"

#include <string.h>

PyObject *argument_get(PyObject *args, PyObject *keywords, const char *format, const char *name)
{
    const char *const names[] = {name, NULL};
    PyObject *argument = NULL;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, format, (char **)names, &argument))
        return NULL;
    return argument;
}

/* ---- json_parse -------------------------------------------------------------------------------
 */

static PyObject *text_without_bom(PyObject *text)
{
    if (PyUnicode_GetLength(text) > 0 && PyUnicode_READ_CHAR(text, 0) == 0xfeff)
        return PyUnicode_Substring(text, 1, PyUnicode_GET_LENGTH(text));
    return Py_NewRef(text);
}

/* The scanner alone reads good JSON; whoever wrote bad JSON gets the words of json.JSONDecodeError.
 */
static PyObject *text_parse(struct module_state *state, PyObject *text)
{
    _cleanup_object_ PyObject *rest = NULL;
    _cleanup_object_ PyObject *value = codec_scan(state, text, &rest);

    if (value && !rest)
        return object_steal(&value);
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_ValueError))
        return NULL;
    PyErr_Clear();
    PyObject *decode = standby_json_decode(state);
    return decode ? PyObject_CallOneArg(decode, text) : NULL;
}

/* UTF-8; what has NULs at its start is UTF-16 or UTF-32, which json.loads tells apart. */
static PyObject *bytes_parse(struct module_state *state, PyObject *bytes)
{
    _cleanup_object_ PyObject *copy = PyBytes_FromObject(bytes);
    const char *data = copy ? PyBytes_AS_STRING(copy) : NULL;
    Py_ssize_t length = copy ? PyBytes_GET_SIZE(copy) : 0;

    if (!copy)
        return NULL;
    if (memchr(data, 0, length < 4 ? (size_t)length : 4)) {
        PyObject *loads = standby_json_loads(state);
        return loads ? PyObject_CallOneArg(loads, copy) : NULL;
    }
    _cleanup_object_ PyObject *text = PyUnicode_DecodeUTF8(data, length, "strict");
    _cleanup_object_ PyObject *bare = text ? text_without_bom(text) : NULL;
    return bare ? text_parse(state, bare) : NULL;
}

PyObject *helper_json_parse(PyObject *module, PyObject *args, PyObject *keywords)
{
    struct module_state *state = hermes_state(module);
    PyObject *text = argument_get(args, keywords, "O:json_parse", "text");

    if (!text)
        return NULL;
    if (PyBytes_Check(text) || PyByteArray_Check(text))
        return bytes_parse(state, text);
    if (PyUnicode_Check(text)) {
        _cleanup_object_ PyObject *bare = text_without_bom(text);
        return bare ? text_parse(state, bare) : NULL;
    }
    PyErr_Format(
        PyExc_TypeError, "json_parse() needs str or bytes, not %s%s", Py_TYPE(text)->tp_name,
        PyDict_Check(text) || PyList_Check(text) ? " (it is parsed already: tool results are dicts)"
                                                 : "");
    return NULL;
}

/* ---- shell_quote ------------------------------------------------------------------------------
 */

static bool is_safe(Py_UCS4 c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
        return true;
    return c < 128 && c != 0 && strchr("@%_-+=:,./", (int)c);
}

static bool needs_quotes(PyObject *text)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);

    for (Py_ssize_t i = 0; i < length; i++)
        if (!is_safe(PyUnicode_READ_CHAR(text, i)))
            return true;
    return length == 0;
}

PyObject *helper_shell_quote(PyObject *module, PyObject *args, PyObject *keywords)
{
    PyObject *argument = argument_get(args, keywords, "O:shell_quote", "s");
    _cleanup_object_ PyObject *path = argument ? PyOS_FSPath(argument) : NULL;
    (void)module;

    if (!argument)
        return NULL;
    if (!path || !PyUnicode_Check(path)) {
        if (!path && !PyErr_ExceptionMatches(PyExc_TypeError))
            return NULL;
        PyErr_Format(PyExc_TypeError, "shell_quote() needs str or a path, not %s",
                     Py_TYPE(argument)->tp_name);
        return NULL;
    }
    _cleanup_object_ PyObject *text = PyUnicode_FromObject(path);
    if (!text || PyUnicode_GetLength(text) < 0)
        return NULL;
    if (!needs_quotes(text))
        return object_steal(&text);
    _cleanup_object_ PyObject *quote = PyUnicode_FromString("'");
    _cleanup_object_ PyObject *escaped = PyUnicode_FromString("'\"'\"'");
    _cleanup_object_ PyObject *inner =
        quote && escaped ? PyUnicode_Replace(text, quote, escaped, -1) : NULL;
    return inner ? PyUnicode_FromFormat("'%U'", inner) : NULL;
}

/* ---- retry ------------------------------------------------------------------------------------
 */

static int retry_sleep(struct module_state *state, double delay, Py_ssize_t attempt)
{
    double seconds = delay;

    for (Py_ssize_t i = 0; i < attempt; i++)
        seconds *= 2;
    _cleanup_object_ PyObject *argument = PyFloat_FromDouble(seconds);
    PyObject *sleep = standby_sleep(state);
    _cleanup_object_ PyObject *r = argument && sleep ? PyObject_CallOneArg(sleep, argument) : NULL;
    return r ? 0 : -1;
}

/* fn() until it returns. KeyboardInterrupt, SystemExit and their like are no failures to retry. */
static PyObject *attempts_make(struct module_state *state, PyObject *function,
                               Py_ssize_t max_attempts, double delay)
{
    for (Py_ssize_t attempt = 0;; attempt++) {
        PyObject *result = PyObject_CallNoArgs(function);
        if (result || attempt + 1 >= max_attempts || !PyErr_ExceptionMatches(PyExc_Exception))
            return result;
        PyErr_Clear();
        if (retry_sleep(state, delay, attempt) < 0)
            return NULL;
    }
}

PyObject *helper_retry(PyObject *module, PyObject *args, PyObject *keywords)
{
    static const char *const names[] = {"fn", "max_attempts", "delay", NULL};
    PyObject *function;
    Py_ssize_t max_attempts = 3;
    double delay = 2;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|nd:retry", (char **)names, &function,
                                     &max_attempts, &delay))
        return NULL;
    if (!PyCallable_Check(function)) {
        PyErr_Format(PyExc_TypeError, "retry() needs a function, not %s: write retry(lambda: ...)",
                     Py_TYPE(function)->tp_name);
        return NULL;
    }
    if (max_attempts < 1 || !(delay >= 0)) {
        PyErr_SetString(
            PyExc_ValueError,
            "retry() needs max_attempts of at least 1 and a delay that is not negative");
        return NULL;
    }
    return attempts_make(hermes_state(module), function, max_attempts, delay);
}
