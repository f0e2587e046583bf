/* SPDX-License-Identifier: MIT
 *
 * The three hooks through which CPython shows an exception that nobody caught. Where the script is
 * a file that the run can open they are CPython's own; else display.py formats with the lines that
 * linecache was given, and CPython's own stay the way out when that fails.
 */
#include "python/display.h"

#include "python/display_source.h"
#include "python/object.h"

#define STATE_SOURCE    "script source" /* (filename, source): present when display.py is needed */
#define STATE_NAMESPACE "display namespace"

/* As linecache reads a file: lines end where Python's do (not at a form feed, not at U+2028), each
 * with a newline, also the last one, for traceback.py counts on it. */
static PyObject *source_lines(PyObject *source)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(source);
    bool ended = length == 0 || PyUnicode_READ_CHAR(source, length - 1) == '\n';
    _cleanup_object_ PyObject *text =
        ended ? Py_NewRef(source) : PyUnicode_FromFormat("%U\n", source);
    _cleanup_object_ PyObject *io = PyImport_ImportModule("_io");
    _cleanup_object_ PyObject *reader =
        io == NULL || text == NULL ? NULL
                                   : PyObject_CallMethod(io, "StringIO", "OO", text, Py_None);
    return reader == NULL ? NULL : PyObject_CallMethod(reader, "readlines", NULL);
}

void display_fill_linecache(PyObject *filename, PyObject *source)
{
    PyObject *linecache = object_loaded_module("linecache");
    if (linecache == NULL) {
        return;
    }
    _cleanup_object_ PyObject *cache = PyObject_GetAttrString(linecache, "cache");
    _cleanup_object_ PyObject *lines = source_lines(source);
    /* Without a modification time linecache.checkcache keeps the entry though there is no file. */
    _cleanup_object_ PyObject *entry =
        lines == NULL
            ? NULL
            : Py_BuildValue("(nOOO)", PyUnicode_GET_LENGTH(source), Py_None, lines, filename);
    if (cache == NULL || entry == NULL || PyObject_SetItem(cache, filename, entry) < 0) {
        PyErr_Clear();
    }
}

int display_set_source(PyObject *filename, PyObject *source, bool readable)
{
    PyObject *value = readable ? PyTuple_New(0) : PyTuple_Pack(2, filename, source);
    return state_set(STATE_SOURCE, value);
}

#if COMPAT_DISPLAY_READS_LINECACHE

int display_install(void)
{
    return 0;
}

#else

/* A hook: its name in display.py, and where it lives in CPython. */
struct display_hook {
    const char *name;
    const char *state; /* CPython's own, kept here */
    const char *module;
    const char *attributes[2];
};

static const struct display_hook display_hooks[] = {
    {"excepthook", "original excepthook", "sys", {"excepthook", "__excepthook__"}},
    {"unraisablehook", "original unraisablehook", "sys", {"unraisablehook", "__unraisablehook__"}},
    {"thread_excepthook", "original thread_excepthook", "_thread", {"_excepthook", NULL}},
};

static PyObject *display_namespace_new(void)
{
    _cleanup_object_ PyObject *namespace = PyDict_New();
    PyObject *original = state_get(display_hooks[0].state);
    if (namespace == NULL || original == NULL ||
        PyDict_SetItemString(namespace, "__builtins__", PyEval_GetBuiltins()) < 0 ||
        PyDict_SetItemString(namespace, "original_excepthook", original) < 0) {
        return NULL;
    }
    _cleanup_object_ PyObject *code =
        Py_CompileString((const char *)display_source, "<display>", Py_file_input);
    _cleanup_object_ PyObject *done =
        code == NULL ? NULL : PyEval_EvalCode(code, namespace, namespace);
    return done == NULL ? NULL : object_steal(&namespace);
}

/* Compiled at the first exception: a run that ends well does not pay for it. Borrowed. */
static PyObject *display_namespace(void)
{
    PyObject *namespace = state_get(STATE_NAMESPACE);
    if (namespace == NULL && state_set(STATE_NAMESPACE, display_namespace_new()) == 0) {
        namespace = state_get(STATE_NAMESPACE);
    }
    return namespace;
}

static PyObject *display_with_lines(const struct display_hook *hook, PyObject *arguments)
{
    PyObject *source = state_get(STATE_SOURCE);
    if (source == NULL || PyTuple_GET_SIZE(source) != 2) {
        return NULL;
    }
    PyObject *namespace = display_namespace();
    PyObject *function = namespace == NULL ? NULL : PyDict_GetItemString(namespace, hook->name);
    if (function == NULL) {
        return NULL;
    }
    display_fill_linecache(PyTuple_GET_ITEM(source, 0), PyTuple_GET_ITEM(source, 1));
    return PyObject_CallObject(function, arguments);
}

static PyObject *display_hook_run(const struct display_hook *hook, PyObject *arguments)
{
    PyObject *done = display_with_lines(hook, arguments);
    if (done != NULL) {
        return done;
    }
    PyErr_Clear();
    PyObject *original = state_get(hook->state);
    if (original == NULL) {
        Py_RETURN_NONE;
    }
    return PyObject_CallObject(original, arguments);
}

static PyObject *display_excepthook(PyObject *Py_UNUSED(self), PyObject *arguments)
{
    return display_hook_run(&display_hooks[0], arguments);
}

static PyObject *display_unraisablehook(PyObject *Py_UNUSED(self), PyObject *arguments)
{
    return display_hook_run(&display_hooks[1], arguments);
}

static PyObject *display_thread_excepthook(PyObject *Py_UNUSED(self), PyObject *arguments)
{
    return display_hook_run(&display_hooks[2], arguments);
}

static const PyMethodDef display_methods[] = {
    {"excepthook", display_excepthook, METH_VARARGS,
     "excepthook(exctype, value, traceback, /)\n--\n\n"
     "Handle an exception by displaying it with a traceback on sys.stderr."},
    {"unraisablehook", display_unraisablehook, METH_VARARGS,
     "unraisablehook(unraisable, /)\n--\n\nHandle an unraisable exception."},
    {"_excepthook", display_thread_excepthook, METH_VARARGS,
     "_excepthook(args, /)\n--\n\nHandle uncaught Thread.run() exception."},
};

static int display_hook_install(const struct display_hook *hook, const PyMethodDef *method)
{
    _cleanup_object_ PyObject *module = PyImport_ImportModule(hook->module);
    if (module == NULL ||
        state_set(hook->state, PyObject_GetAttrString(module, hook->attributes[0])) < 0) {
        return -1;
    }
    _cleanup_object_ PyObject *module_name = PyUnicode_FromString(hook->module);
    _cleanup_object_ PyObject *function =
        PyCFunction_NewEx((PyMethodDef *)method, NULL, module_name);
    for (size_t i = 0; i < 2 && hook->attributes[i] != NULL; i++) {
        if (function == NULL || PyObject_SetAttrString(module, hook->attributes[i], function) < 0) {
            return -1;
        }
    }
    return 0;
}

int display_install(void)
{
    for (size_t i = 0; i < sizeof display_hooks / sizeof display_hooks[0]; i++) {
        if (display_hook_install(&display_hooks[i], &display_methods[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

#endif
