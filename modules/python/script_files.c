/* SPDX-License-Identifier: MIT
 *
 * The objects that are still alive when a script is over. python3 takes its modules apart, and
 * while it does, files get closed and __del__ methods run. We do not take apart what is shared with
 * the zygote; instead the run's own objects (everything the collector knows that was not frozen
 * before the fork) are asked to do now what their deallocation would have done.
 */
#include "python/object.h"
#include "python/script_parts.h"

#include <string.h>

/* A list of the run's own container objects; NULL without an exception when there is none. */
static PyObject *script_objects(void)
{
    PyObject *get_objects = state_get(STATE_GET_OBJECTS);
    PyObject *objects = get_objects == NULL ? NULL : PyObject_CallNoArgs(get_objects);
    if (objects != NULL && !PyList_Check(objects)) {
        Py_CLEAR(objects);
    }
    PyErr_Clear();
    return objects;
}

/* sys.NAME as a new reference; NULL when it is absent, None, or already closed. */
static PyObject *script_stream(const char *name)
{
    _cleanup_object_ PyObject *stream = Py_XNewRef(PySys_GetObject(name));
    if (stream == NULL || stream == Py_None) {
        return NULL;
    }
    _cleanup_object_ PyObject *closed = PyObject_GetAttrString(stream, "closed");
    int is_closed = closed == NULL ? 0 : PyObject_IsTrue(closed);
    PyErr_Clear();
    return is_closed > 0 ? NULL : object_steal(&stream);
}

int script_files_flush_stdio(bool report)
{
    int status = 0;
    _cleanup_object_ PyObject *output = script_stream("stdout");
    _cleanup_object_ PyObject *flushed = output == NULL ? NULL : object_call(output, "flush");
    if (output != NULL && flushed == NULL) {
        if (report) {
            PyErr_WriteUnraisable(output);
        }
        PyErr_Clear();
        status = -1;
    }
    _cleanup_object_ PyObject *errors = script_stream("stderr");
    _cleanup_object_ PyObject *also_flushed = errors == NULL ? NULL : object_call(errors, "flush");
    if (errors != NULL && also_flushed == NULL) {
        PyErr_Clear();
        status = -1;
    }
    return status;
}

static void script_flush_kind(PyObject *objects, PyTypeObject *kind)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(objects); i++) {
        PyObject *object = PyList_GET_ITEM(objects, i);
        if (PyObject_TypeCheck(object, kind)) {
            _cleanup_object_ PyObject *held =
                Py_NewRef(object); /* flush may be the script's code */
            _cleanup_object_ PyObject *done = object_call(held, "flush");
            PyErr_Clear(); /* closed, read only, disk full: python3 is silent as well */
        }
    }
}

/* Upper layers first: what a text file holds ends up in the buffer below it, and what a compressor
 * among the others holds as well, hence buffers once more. */
void script_files_flush_all(void)
{
    static const char *const kinds[] = {"TextIOWrapper", "_IOBase", "_BufferedIOBase"};
    _cleanup_object_ PyObject *objects = script_objects();
    for (size_t i = 0; objects != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        _cleanup_object_ PyObject *kind = object_from_module("_io", kinds[i]);
        if (kind != NULL && PyType_Check(kind)) {
            script_flush_kind(objects, (PyTypeObject *)kind);
        }
    }
    PyErr_Clear();
}

/* Python classes with __del__ (or a base that has one, such as an io class), generators and
 * coroutines. The files of _io itself (heap types since 3.12) are only flushed: the kernel closes
 * them, and a buffer must not be closed before the text file above it. */
static bool script_wants_finalizer(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    if (type->tp_finalize == NULL || strncmp(type->tp_name, "_io.", strlen("_io.")) == 0) {
        return false;
    }
    return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 || PyGen_CheckExact(object) ||
           PyCoro_CheckExact(object) || PyAsyncGen_CheckExact(object);
}

/* After the collection: for what shared objects still refer to (a monkeypatched module, a cache, a
 * registry). PyObject_CallFinalizer runs each finaliser at most once in an object's life. */
void script_files_finalize(void)
{
    _cleanup_object_ PyObject *objects = script_objects();
    for (Py_ssize_t i = 0; objects != NULL && i < PyList_GET_SIZE(objects); i++) {
        PyObject *object = PyList_GET_ITEM(objects, i);
        if (script_wants_finalizer(object)) {
            _cleanup_object_ PyObject *held = Py_NewRef(object);
            PyObject_CallFinalizer(held);
        }
    }
}
