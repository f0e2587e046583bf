/* SPDX-License-Identifier: MIT
 *
 * A run from its first to its last step.
 */
#include "python/script.h"

#include "python/display.h"
#include "python/interp.h"
#include "python/object.h"
#include "python/script_parts.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXIT_INTERRUPTED 130

#define INTERP_STACK_BYTES  ((rlim_t)8 << 20)
#define RECURSION_LIMIT_MIN 50

/* CPython's 1000 frames of C recursion fit into 8 MiB. On a smaller stack, which interp_init could
 * not raise, endless recursion must still be a RecursionError and not a crash. */
static void script_fit_recursion_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= INTERP_STACK_BYTES) {
        return;
    }
    int fitting = (int)((rlim_t)Py_GetRecursionLimit() * limit.rlim_cur / INTERP_STACK_BYTES);
    Py_SetRecursionLimit(fitting < RECURSION_LIMIT_MIN ? RECURSION_LIMIT_MIN : fitting);
}

/* Code that awaits at top level is a coroutine; python -m asyncio and notebooks run it like this.
 */
static PyObject *script_await(PyObject *coroutine)
{
    _cleanup_object_ PyObject *run = object_from_module("asyncio", "run");
    return run == NULL ? NULL : PyObject_CallOneArg(run, coroutine);
}

/* 0, or -1 with an exception set. */
static int script_execute_code(PyObject *code, PyObject *module)
{
    PyObject *globals = PyModule_GetDict(module);
    _cleanup_object_ PyObject *result = PyEval_EvalCode(code, globals, globals);
    if (result != NULL && PyCoro_CheckExact(result)) {
        _cleanup_object_ PyObject *awaited = script_await(result);
        return awaited == NULL ? -1 : 0;
    }
    return result == NULL ? -1 : 0;
}

/* Can CPython open the script to show its lines? A pipe (bash's <(...)) it must not try. */
static bool script_is_readable(const char *filename)
{
    struct stat status;
    return stat(filename, &status) == 0 && S_ISREG(status.st_mode) && access(filename, R_OK) == 0;
}

/* Tells tracebacks where the lines are. */
static int script_publish_source(const struct script_source *source, PyObject *filename,
                                 PyObject *text)
{
    bool readable = source->is_bytes && script_is_readable(source->filename);
    if (display_set_source(filename, text, readable) < 0) {
        return -1;
    }
    if (!readable) {
        display_fill_linecache(filename, text);
    }
    return 0;
}

/* 0, or -1 with an exception set. ret_code: the code that ran, for trimming the traceback. */
static int script_execute(const struct script_source *source, PyObject **ret_code)
{
    _cleanup_object_ PyObject *filename = PyUnicode_DecodeFSDefault(source->filename);
    _cleanup_object_ PyObject *text = filename == NULL ? NULL : script_decode(source, filename);
    if (text == NULL || script_main_set_arguments(source) < 0 ||
        script_publish_source(source, filename, text) < 0) {
        return -1;
    }
    _cleanup_object_ PyObject *module = script_main_new(filename, text);
    *ret_code = module == NULL ? NULL : script_compile(source, filename, text);
    return *ret_code == NULL ? -1 : script_execute_code(*ret_code, module);
}

/* A process that the script forked has run past the end of the script. */
static _Noreturn void script_leave(const struct script_outcome *outcome)
{
    if (outcome->signal != 0) {
        (void)signal(outcome->signal, SIG_DFL);
        (void)raise(outcome->signal);
    }
    _exit(outcome->exit_code);
}

void script_run(const struct script_source *source, struct script_outcome *ret_outcome)
{
    pid_t owner = getpid();
    struct script_outcome outcome = {0};

    if (state_get(STATE_FROZEN) == NULL) {
        interp_freeze(); /* a cold start: what is there now is not the run's */
    }
    script_fit_recursion_limit();
    PyObject *code = NULL;
    if (script_execute(source, &code) < 0) {
        script_end_exception(code, &outcome);
    }
    Py_CLEAR(code);
    script_finish(&outcome);
    if (outcome.signal != 0) {
        outcome.exit_code = EXIT_INTERRUPTED; /* also when a flush failed: the signal says more */
    }
    if (getpid() != owner) {
        script_leave(&outcome);
    }
    *ret_outcome = outcome;
}

static int script_warm_up_execute(const struct script_source *source)
{
    _cleanup_object_ PyObject *filename = PyUnicode_FromString(source->filename);
    _cleanup_object_ PyObject *text = filename == NULL ? NULL : script_decode(source, filename);
    _cleanup_object_ PyObject *module = text == NULL ? NULL : script_main_new(filename, text);
    _cleanup_object_ PyObject *code =
        module == NULL ? NULL : script_compile(source, filename, text);
    return code == NULL ? -1 : script_execute_code(code, module);
}

int script_warm_up(const char *code)
{
    const struct script_source source = {
        .code = code, .code_length = strlen(code), .filename = "<warm-up>", .argv0 = ""};
    PyObject *modules = PyImport_GetModuleDict();
    _cleanup_object_ PyObject *before = Py_XNewRef(PyDict_GetItemString(modules, "__main__"));
    int status = script_warm_up_execute(&source);
    PyErr_Clear();
    if (before != NULL && PyDict_SetItemString(modules, "__main__", before) < 0) {
        PyErr_Clear();
    }
    (void)PyGC_Collect();
    script_files_flush_all();
    (void)script_files_flush_stdio(false);
    return status;
}
