/* SPDX-License-Identifier: MIT
 *
 * The end of a run, in the order of Py_FinalizeEx: threads, atexit, stdio, modules, collection,
 * files, stdio once more. What Py_FinalizeEx does beyond that only gives memory back to a process
 * that is about to end, and costs a forked child 40 ms of page copies.
 */
#include "python/object.h"
#include "python/script_parts.h"

#include <stdio.h>

#define EXIT_FLUSH_FAILED 120 /* python3's, when what was printed could not be written */

static void script_join_threads(void)
{
    _cleanup_object_ PyObject *threading = Py_XNewRef(object_loaded_module("threading"));
    if (threading == NULL) {
        return;
    }
    _cleanup_object_ PyObject *done = object_call(threading, "_shutdown");
    if (done == NULL) {
        PyErr_WriteUnraisable(threading); /* a second Ctrl-C stops the waiting */
    }
}

static void script_run_atexit(void)
{
    (void)Py_MakePendingCalls();
    PyErr_Clear();
    PyObject *run = state_get(STATE_RUN_EXITFUNCS);
    _cleanup_object_ PyObject *done = run == NULL ? NULL : PyObject_CallNoArgs(run);
    PyErr_Clear(); /* each callback's failure has been shown */
}

static void script_flush_stdio_job(int *ret_status)
{
    *ret_status = script_files_flush_stdio(true);
}

/* So that the traceback's frames, and a stream that the script put in place of stdout, can die. */
static void script_release_sys(void)
{
    static const char *const last[] = {"last_type", "last_value", "last_traceback", "last_exc"};
    static const char *const streams[][2] = {
        {"stdin", "__stdin__"}, {"stdout", "__stdout__"}, {"stderr", "__stderr__"}};
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
        if (PySys_GetObject(last[i]) != NULL) {
            (void)PySys_SetObject(last[i], Py_None);
        }
    }
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        PyObject *original = PySys_GetObject(streams[i][1]);
        (void)PySys_SetObject(streams[i][0], original == NULL ? Py_None : original);
    }
    PyErr_Clear();
}

/* __main__ and what the run imported, in the order of the import. Walked without taking references:
 * each would copy a page that is shared with the zygote. */
static PyObject *script_own_modules(PyObject *modules)
{
    PyObject *shared = state_get(STATE_MODULES);
    PyObject *names = PyList_New(0);
    PyObject *name = NULL;
    Py_ssize_t position = 0;
    while (names != NULL && PyDict_Next(modules, &position, &name, NULL)) {
        /* Only of plain str is it certain that comparing runs no code of the script. */
        bool is_shared =
            PyUnicode_CheckExact(name) && shared != NULL && PySet_Contains(shared, name) > 0;
        if (!is_shared && PyList_Append(names, name) < 0) {
            Py_CLEAR(names);
        }
    }
    return names;
}

/* __main__ first, then the others, as python3 does. */
static void script_drop_modules(void)
{
    PyObject *modules = PyImport_GetModuleDict();
    _cleanup_object_ PyObject *names = modules == NULL ? NULL : script_own_modules(modules);
    if (names == NULL) {
        PyErr_Clear();
        return;
    }
    (void)PyDict_DelItemString(modules, "__main__");
    PyErr_Clear();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(names); i++) {
        (void)PyDict_DelItem(modules, PyList_GET_ITEM(names, i));
        PyErr_Clear();
    }
}

static void script_collect(void)
{
    (void)PyGC_Enable(); /* else PyGC_Collect does nothing; python3 collects in any case */
    (void)PyGC_Collect();
}

/* stdio again for what __del__ printed; python3 says nothing when that fails. */
static void script_flush_files_job(int *ret_status)
{
    script_files_flush_all();
    *ret_status = script_files_flush_stdio(false);
}

/* printf of C extensions: exit() would flush it, _exit does not. With threads only stdout, since
 * fflush(NULL) waits for the lock of every stream. */
static void script_flush_c_stdio(void)
{
    (void)fflush(script_grace_has_threads() ? stdout : NULL);
}

void script_finish(struct script_outcome *outcome)
{
    int early = 0;
    int late = 0;
    script_join_threads();
    script_run_atexit();
    script_grace_run(script_flush_stdio_job, &early);

    /* As python3 before it takes modules apart. It also sorts what survives: an owner comes before
     * what it owns, and so the next collection closes a text file before the buffer below it. */
    (void)PyGC_Collect();
    script_release_sys();
    script_drop_modules();
    script_collect();
    if (!script_grace_has_threads()) {
        /* python3 never finalises what a daemon thread's stack still holds, and neither do we. */
        script_files_finalize();
    }
    script_grace_run(script_flush_files_job, &late);
    script_flush_c_stdio();
    if (early < 0) {
        outcome->exit_code = EXIT_FLUSH_FAILED;
    }
}
