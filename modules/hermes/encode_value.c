/* SPDX-License-Identifier: MIT
 *
 * Any Python value to JSON text. Subclasses of the JSON types are taken for what they hold, their
 * methods are never called; only __fspath__ is, and may do to the data what it likes.
 */
#include "hermes/encode.h"

/* ---- numbers ----------------------------------------------------------------------------------
 */

static int integer_encode(struct encoder *e, PyObject *value, const struct step *step)
{
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);

    if (overflow)
        return encode_refuse(e, step, PyExc_OverflowError,
                             PyUnicode_FromString("is an int that does not fit into 64 bits"));
    if (number == -1 && PyErr_Occurred())
        return -1;
    return encode_check(e, buf_append_format(e->out, "%lld", number));
}

static int float_encode(struct encoder *e, PyObject *value, const struct step *step)
{
    double number = PyFloat_AS_DOUBLE(value);

    if (!Py_IS_FINITE(number))
        return encode_refuse(e, step, PyExc_ValueError,
                             PyUnicode_FromFormat("is %s, which JSON cannot express",
                                                  Py_IS_NAN(number) ? "nan" : "infinite"));
    char *text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (!text)
        return -1;
    int r = buf_append_text(e->out, text);
    PyMem_Free(text);
    return encode_check(e, r);
}

/* ---- containers -------------------------------------------------------------------------------
 */

/* The size is read again each time: __fspath__ of an item may change the list. */
static int list_encode(struct encoder *e, PyObject *list, const struct step *step, int depth)
{
    bool is_list = PyList_Check(list);

    if (encode_check(e, buf_append(e->out, "[", 1)) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < (is_list ? PyList_GET_SIZE(list) : PyTuple_GET_SIZE(list)); i++) {
        struct step here = {.parent = step, .index = i};
        _cleanup_object_ PyObject *item =
            Py_NewRef(is_list ? PyList_GET_ITEM(list, i) : PyTuple_GET_ITEM(list, i));
        if (i > 0 && encode_check(e, buf_append(e->out, ",", 1)) < 0)
            return -1;
        if (encode_value(e, item, &here, depth + 1) < 0)
            return -1;
    }
    return encode_check(e, buf_append(e->out, "]", 1));
}

static int pair_encode(struct encoder *e, PyObject *key, PyObject *value, const struct step *step,
                       int depth)
{
    struct step here = {.parent = step, .key = key};
    Py_ssize_t length;
    const char *name = PyUnicode_AsUTF8AndSize(key, &length);

    if (!name)
        return encode_surrogate_refuse(e, step, "has a key with");
    int r = encode_json_text(e->out, name, (size_t)length);
    if (r == 0)
        r = buf_append(e->out, ":", 1);
    return encode_check(e, r) < 0 ? -1 : encode_value(e, value, &here, depth + 1);
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
            return encode_refuse(e, step, PyExc_TypeError,
                                 PyUnicode_FromFormat("has a key of type %s; keys must be str",
                                                      Py_TYPE(key)->tp_name));
        if (count++ > 0 && encode_check(e, buf_append(e->out, ",", 1)) < 0)
            return -1;
        if (pair_encode(e, held_key, held_value, step, depth) < 0)
            return -1;
        if (PyDict_Size(dict) != size)
            return encode_refuse(
                e, step, PyExc_RuntimeError,
                PyUnicode_FromString("is a dict that changed size during the call"));
    }
    return 0;
}

static int dict_encode(struct encoder *e, PyObject *dict, const struct step *step, int depth)
{
    _cleanup_object_ PyObject *plain = keys_normalise(dict);
    if (!plain || encode_check(e, buf_append(e->out, "{", 1)) < 0)
        return -1;
    if (pairs_encode(e, plain, step, depth) < 0)
        return -1;
    return encode_check(e, buf_append(e->out, "}", 1));
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
        return encode_refuse(
            e, step, PyExc_TypeError,
            PyUnicode_FromFormat("must be str, int, float, bool, None, list, dict or a "
                                 "path, not %s%s",
                                 Py_TYPE(value)->tp_name, type_advice(value)));
    }
    _cleanup_object_ PyObject *path = PyOS_FSPath(value);
    if (!path)
        return -1;
    if (!PyUnicode_Check(path))
        return encode_refuse(e, step, PyExc_TypeError,
                             PyUnicode_FromFormat("is a path of bytes; paths must be str"));
    return encode_text(e, path, step);
}

/* Subclasses of the JSON types are taken for what they hold; their methods are never called. */
int encode_value(struct encoder *e, PyObject *value, const struct step *step, int depth)
{
    if (PyUnicode_Check(value))
        return encode_text(e, value, step);
    if (value == Py_None)
        return encode_check(e, buf_append(e->out, "null", 4));
    if (PyBool_Check(value))
        return encode_check(e, buf_append_text(e->out, value == Py_True ? "true" : "false"));
    if (PyLong_Check(value))
        return integer_encode(e, value, step);
    if (PyFloat_Check(value))
        return float_encode(e, value, step);
    bool is_dict = PyDict_Check(value);
    if (!is_dict && !PyList_Check(value) && !PyTuple_Check(value))
        return path_encode(e, value, step);
    if (depth > JSON_DEPTH_MAX)
        return encode_refuse(
            e, step->parent ? step->parent : step, PyExc_ValueError,
            PyUnicode_FromFormat("is nested deeper than %d levels, or contains itself",
                                 JSON_DEPTH_MAX));
    return is_dict ? dict_encode(e, value, step, depth) : list_encode(e, value, step, depth);
}
