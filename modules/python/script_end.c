/* SPDX-License-Identifier: MIT
 *
 * From an uncaught exception to an exit status, as CPython's PyErr_Print and Py_RunMain do it; but
 * PyErr_Print itself would finalise and exit on SystemExit.
 */
#include "python/object.h"
#include "python/script_parts.h"

#include <signal.h>

static int script_exit_code_of(PyObject *value)
{
    if (value == NULL || value == Py_None) {
        return 0;
    }
    if (PyLong_Check(value)) {
        long code = PyLong_AsLong(value); /* too large: -1, as in CPython */
        PyErr_Clear();
        return (int)(code & 0xff);
    }
    PyObject *errors = PySys_GetObject("stderr");
    if (errors != NULL && errors != Py_None) {
        (void)PyFile_WriteObject(value, errors, Py_PRINT_RAW);
    }
    PyErr_Clear();
    PySys_WriteStderr("\n");
    return 1;
}

static int script_exit_code(PyObject *exception)
{
    _cleanup_object_ PyObject *code = PyObject_GetAttrString(exception, "code");
    PyErr_Clear();
    return script_exit_code_of(code);
}

/* asyncio's frames stand above the script's own when it awaits at top level. */
static void script_trim_traceback(PyObject *exception, PyObject *code)
{
    _cleanup_object_ PyObject *first = PyException_GetTraceback(exception);
    PyObject *entry = first;
    while (entry != NULL && entry != Py_None && PyTraceBack_Check(entry)) {
        _cleanup_object_ PyObject *frame = PyObject_GetAttrString(entry, "tb_frame");
        _cleanup_object_ PyObject *running =
            frame == NULL ? NULL : PyObject_GetAttrString(frame, "f_code");
        if (running == code) {
            (void)PyException_SetTraceback(exception, entry);
            break;
        }
        entry = (PyObject *)((PyTracebackObject *)entry)->tb_next;
    }
    PyErr_Clear();
}

static void script_set_last(PyObject *exception, PyObject *traceback)
{
    (void)PySys_SetObject("last_type", (PyObject *)Py_TYPE(exception));
    (void)PySys_SetObject("last_value", exception);
    (void)PySys_SetObject("last_traceback", traceback);
    if (COMPAT_HAS_LAST_EXC) {
        (void)PySys_SetObject("last_exc", exception);
    }
    PyErr_Clear();
}

/* The exception hook itself failed. Returns the exit code. */
static int script_hook_failed(PyObject *exception)
{
    _cleanup_object_ PyObject *second = compat_exception_take();
    if (second != NULL && PyErr_GivenExceptionMatches(second, PyExc_SystemExit)) {
        return script_exit_code(second);
    }
    PySys_WriteStderr("Error in sys.excepthook:\n");
    if (second != NULL) {
        compat_exception_display(second);
    }
    PySys_WriteStderr("\nOriginal exception was:\n");
    compat_exception_display(exception);
    return 1;
}

static int script_show(PyObject *exception)
{
    _cleanup_object_ PyObject *traceback = PyException_GetTraceback(exception);
    PyObject *shown = traceback == NULL ? Py_None : traceback;
    script_set_last(exception, shown);
    _cleanup_object_ PyObject *hook = Py_XNewRef(PySys_GetObject("excepthook"));
    if (hook == NULL) {
        PySys_WriteStderr("sys.excepthook is missing\n");
        compat_exception_display(exception);
        return 1;
    }
    _cleanup_object_ PyObject *done =
        PyObject_CallFunctionObjArgs(hook, (PyObject *)Py_TYPE(exception), exception, shown, NULL);
    return done == NULL ? script_hook_failed(exception) : 1;
}

void script_end_exception(PyObject *code, struct script_outcome *outcome)
{
    _cleanup_object_ PyObject *exception = compat_exception_take();
    if (exception == NULL) {
        return;
    }
    if (PyErr_GivenExceptionMatches(exception, PyExc_SystemExit)) {
        outcome->exit_code = script_exit_code(exception);
        return;
    }
    if (code != NULL) {
        script_trim_traceback(exception, code);
    }
    bool interrupted = (PyObject *)Py_TYPE(exception) == PyExc_KeyboardInterrupt;
    outcome->exit_code = script_show(exception);
    if (interrupted) {
        outcome->signal = SIGINT;
    }
    PyErr_Clear();
}
