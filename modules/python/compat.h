/* SPDX-License-Identifier: MIT
 *
 * Every difference between CPython versions lives here. 3.11 is the tested version; 3.12 and 3.13
 * build. Include this instead of Python.h.
 */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if PY_VERSION_HEX < 0x030b0000
#error "Python 3.11 or newer is needed"
#endif

/* 3.13 shows uncaught exceptions through traceback.py, which finds source lines in linecache. Older
 * ones open the file of the code by name, and a script that is no file gets no source lines. */
#define COMPAT_DISPLAY_READS_LINECACHE (PY_VERSION_HEX >= 0x030d0000)

/* sys.last_exc beside the older sys.last_type, last_value, last_traceback. */
#define COMPAT_HAS_LAST_EXC (PY_VERSION_HEX >= 0x030c0000)

/* Takes the current exception: normalised, with its traceback attached. NULL when none is set. */
static inline PyObject *compat_exception_take(void)
{
#if PY_VERSION_HEX >= 0x030c0000
    return PyErr_GetRaisedException();
#else
    PyObject *type = NULL;
    PyObject *value = NULL;
    PyObject *traceback = NULL;
    PyErr_Fetch(&type, &value, &traceback);
    if (type == NULL) {
        return NULL;
    }
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != NULL) {
        (void)PyException_SetTraceback(value, traceback);
    }
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return value;
#endif
}

/* CPython's own words for an exception and its traceback, to sys.stderr. */
static inline void compat_exception_display(PyObject *exception)
{
#if PY_VERSION_HEX >= 0x030c0000
    PyErr_DisplayException(exception);
#else
    PyObject *traceback = PyException_GetTraceback(exception);
    PyErr_Display((PyObject *)Py_TYPE(exception), exception, traceback);
    Py_XDECREF(traceback);
#endif
}
