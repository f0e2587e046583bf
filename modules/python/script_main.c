/* SPDX-License-Identifier: MIT
 *
 * The module __main__ of a run, made after the fork: the zygote's own is frozen and shared. With
 * the attributes that python3 FILE sets, and a loader that knows the source although there may be
 * no file, so that inspect.getsource and tracebacks find it.
 */
#include "python/object.h"
#include "python/script_parts.h"

/* loader.get_source(name): the text that the code was compiled from, not what a file holds now. */
static PyObject *script_loader_get_source(PyObject *self, PyObject *Py_UNUSED(name))
{
    return Py_NewRef(self);
}

static const PyMethodDef script_loader_method = {"get_source", script_loader_get_source, METH_O,
                                                 "Return the source of the script as text."};

static PyObject *script_loader_new(PyObject *filename, PyObject *text)
{
    _cleanup_object_ PyObject *type =
        object_from_module("_frozen_importlib_external", "SourceFileLoader");
    _cleanup_object_ PyObject *loader =
        type == NULL ? NULL : PyObject_CallFunction(type, "sO", "__main__", filename);
    _cleanup_object_ PyObject *method =
        PyCFunction_NewEx((PyMethodDef *)&script_loader_method, text, NULL);
    if (loader == NULL || method == NULL ||
        PyObject_SetAttrString(loader, "get_source", method) < 0) {
        return NULL;
    }
    return object_steal(&loader);
}

static int script_main_fill(PyObject *module, PyObject *filename, PyObject *loader)
{
    _cleanup_object_ PyObject *builtins = PyImport_ImportModule("builtins");
    _cleanup_object_ PyObject *annotations = PyDict_New();
    const struct {
        const char *name;
        PyObject *value;
    } attributes[] = {
        {"__loader__", loader}, {"__annotations__", annotations}, {"__builtins__", builtins},
        {"__file__", filename}, {"__cached__", Py_None},
    };
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        if (attributes[i].value == NULL ||
            PyObject_SetAttrString(module, attributes[i].name, attributes[i].value) < 0) {
            return -1;
        }
    }
    return 0;
}

PyObject *script_main_new(PyObject *filename, PyObject *text)
{
    _cleanup_object_ PyObject *module = PyModule_New("__main__");
    _cleanup_object_ PyObject *loader = script_loader_new(filename, text);
    if (module == NULL || script_main_fill(module, filename, loader) < 0 ||
        PyDict_SetItemString(PyImport_GetModuleDict(), "__main__", module) < 0) {
        return NULL;
    }
    return object_steal(&module);
}

static int script_append_text(PyObject *list, const char *text)
{
    _cleanup_object_ PyObject *decoded = PyUnicode_DecodeFSDefault(text);
    return decoded == NULL ? -1 : PyList_Append(list, decoded);
}

static int script_append_arguments(PyObject *list, const struct script_source *source)
{
    if (script_append_text(list, source->argv0) < 0) {
        return -1;
    }
    for (size_t i = 0; i < source->argv_count; i++) {
        if (script_append_text(list, source->argv[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

static int script_extend_path(const struct script_source *source)
{
    PyObject *path = PySys_GetObject("path");
    for (size_t i = 0; path != NULL && i < source->extra_path_count; i++) {
        if (script_append_text(path, source->extra_path[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

int script_main_set_arguments(const struct script_source *source)
{
    _cleanup_object_ PyObject *argv = PyList_New(0);
    _cleanup_object_ PyObject *orig_argv = PyList_New(0);
    PyObject *executable = PySys_GetObject("executable");
    if (argv == NULL || orig_argv == NULL ||
        (executable != NULL && PyList_Append(orig_argv, executable) < 0) ||
        script_append_arguments(argv, source) < 0 ||
        script_append_arguments(orig_argv, source) < 0 || PySys_SetObject("argv", argv) < 0 ||
        PySys_SetObject("orig_argv", orig_argv) < 0) {
        return -1;
    }
    return script_extend_path(source);
}
