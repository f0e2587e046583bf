/* SPDX-License-Identifier: MIT
 *
 * Helpers for Python objects and the interpreter's own dictionary.
 */
#include "python/object.h"

PyObject *object_call(PyObject *object, const char *name)
{
    _cleanup_object_ PyObject *method = PyObject_GetAttrString(object, name);
    return method == NULL ? NULL : PyObject_CallNoArgs(method);
}

PyObject *object_from_module(const char *module, const char *name)
{
    _cleanup_object_ PyObject *imported = PyImport_ImportModule(module);
    return imported == NULL ? NULL : PyObject_GetAttrString(imported, name);
}

PyObject *object_loaded_module(const char *name)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *module = modules == NULL ? NULL : PyDict_GetItemString(modules, name);
    return module == Py_None ? NULL : module;
}

PyObject *state_get(const char *name)
{
    PyObject *state = PyInterpreterState_GetDict(PyInterpreterState_Get());
    return state == NULL ? NULL : PyDict_GetItemString(state, name);
}

int state_set(const char *name, PyObject *value)
{
    _cleanup_object_ PyObject *owned = value;
    PyObject *state = PyInterpreterState_GetDict(PyInterpreterState_Get());
    if (owned == NULL || state == NULL) {
        return -1;
    }
    return PyDict_SetItemString(state, name, owned);
}

int state_remember_modules(void)
{
    return state_set(STATE_MODULES, PySet_New(PyImport_GetModuleDict()));
}
