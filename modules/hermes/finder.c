/* SPDX-License-Identifier: MIT
 *
 * Imports below hermes_tools. The submodule aio is made on first import (it needs asyncio, which
 * costs milliseconds where it is not preloaded). Every other name gives an ImportError that lists
 * what exists: `from hermes_tools import nope` looks for a submodule when there is no attribute,
 * and that question arrives here, at the end of sys.meta_path.
 */
#include "hermes/state.h"

#include <string.h>

#define PREFIX     "hermes_tools."
#define AIO_MODULE PREFIX "aio"

static PyObject *create_module(PyObject *module, PyObject *spec)
{
    (void)module;
    (void)spec;
    Py_RETURN_NONE; /* the default one */
}

static PyObject *exec_module(PyObject *module, PyObject *aio)
{
    PyObject *namespace = PyModule_GetDict(aio);

    if (!namespace || PyDict_SetItemString(namespace, "_hermes_tools", module) < 0)
        return NULL;
    _cleanup_object_ PyObject *code =
        Py_CompileString(aio_source, "<hermes_tools.aio>", Py_file_input);
    if (!code || PyDict_SetItemString(namespace, "__builtins__", PyEval_GetBuiltins()) < 0)
        return NULL;
    return PyEval_EvalCode(code, namespace, namespace);
}

static PyMethodDef create_module_def = {"create_module", create_module, METH_O, NULL};
static PyMethodDef exec_module_def = {"exec_module", exec_module, METH_O, NULL};

/* An object with the given methods, bound to our module. */
static PyObject *object_with_methods(PyObject *module, PyMethodDef *const *methods)
{
    _cleanup_object_ PyObject *types = PyImport_ImportModule("types");
    _cleanup_object_ PyObject *object =
        types ? PyObject_CallMethod(types, "SimpleNamespace", NULL) : NULL;

    for (; object && *methods; methods++) {
        _cleanup_object_ PyObject *method = PyCFunction_New(*methods, module);
        if (!method || PyObject_SetAttrString(object, (*methods)->ml_name, method) < 0)
            return NULL;
    }
    return object_steal(&object);
}

static PyObject *aio_spec_new(PyObject *module)
{
    static PyMethodDef *const methods[] = {&create_module_def, &exec_module_def, NULL};
    _cleanup_object_ PyObject *loader = object_with_methods(module, methods);
    _cleanup_object_ PyObject *machinery =
        loader ? PyImport_ImportModule("importlib.machinery") : NULL;
    return machinery ? PyObject_CallMethod(machinery, "ModuleSpec", "sO", AIO_MODULE, loader)
                     : NULL;
}

/* find_spec(fullname, path=None, target=None) */
static PyObject *find_spec(PyObject *module, PyObject *args)
{
    PyObject *full_name = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : Py_None;
    const char *text = PyUnicode_Check(full_name) ? PyUnicode_AsUTF8(full_name) : NULL;

    if (!text || strncmp(text, PREFIX, strlen(PREFIX)) != 0) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    if (strcmp(text, AIO_MODULE) == 0)
        return aio_spec_new(module);
    const char *name = text + strlen(PREFIX);
    _cleanup_object_ PyObject *what =
        PyUnicode_FromFormat("cannot import name '%s' from 'hermes_tools'", name);
    const char *what_text = what ? PyUnicode_AsUTF8(what) : NULL;
    _cleanup_object_ PyObject *message = what_text ? catalog_missing_text(what_text, name) : NULL;
    _cleanup_object_ PyObject *module_name = PyUnicode_FromString("hermes_tools");
    if (message && module_name)
        PyErr_SetImportError(message, module_name, NULL);
    return NULL;
}

static PyMethodDef find_spec_def = {"find_spec", find_spec, METH_VARARGS, NULL};

/* The finder of an earlier life of the module (deleted from sys.modules, imported again) goes. */
static int old_finder_remove(PyObject *meta_path)
{
    for (Py_ssize_t i = PyList_GET_SIZE(meta_path) - 1; i >= 0; i--) {
        PyObject *entry = PyList_GET_ITEM(meta_path, i);
        _cleanup_object_ PyObject *method = PyObject_GetAttrString(entry, "find_spec");
        if (!method)
            PyErr_Clear();
        else if (PyCFunction_Check(method) && PyCFunction_GetFunction(method) == find_spec &&
                 PyList_SetSlice(meta_path, i, i + 1, NULL) < 0)
            return -1;
    }
    return 0;
}

int finder_install(PyObject *module)
{
    static PyMethodDef *const methods[] = {&find_spec_def, NULL};
    PyObject *meta_path = PySys_GetObject("meta_path"); /* borrowed */
    _cleanup_object_ PyObject *finder = NULL;
    _cleanup_object_ PyObject *empty = PyList_New(0);

    /* A package (of an empty folder) in the eyes of the import system. */
    if (!empty || PyModule_AddObjectRef(module, "__path__", empty) < 0)
        return -1;
    if (!meta_path || !PyList_Check(meta_path))
        return 0; /* the script has its own ideas; only the texts suffer */
    if (old_finder_remove(meta_path) < 0)
        return -1;
    finder = object_with_methods(module, methods);
    return finder ? PyList_Append(meta_path, finder) : -1;
}
