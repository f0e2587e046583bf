/* SPDX-License-Identifier: MIT
 *
 * Parts of the standard library that the module uses, imported when they are first needed: most
 * scripts of a cold start need none of them.
 */
#include "hermes/state.h"

static PyObject *attribute_import(const char *module_name, const char *name)
{
    _cleanup_object_ PyObject *module = PyImport_ImportModule(module_name);
    return module ? PyObject_GetAttrString(module, name) : NULL;
}

/* What _json's scanner asks its context for: json.JSONDecoder(strict=False), without json. */
static PyObject *scanner_context(void)
{
    _cleanup_object_ PyObject *type = attribute_import("types", "SimpleNamespace");
    _cleanup_object_ PyObject *args = PyTuple_New(0);
    _cleanup_object_ PyObject *constant = attribute_import("builtins", "float");
    _cleanup_object_ PyObject *keywords =
        constant ? Py_BuildValue("{sO,sO,sO,sO,sO,sO}", "strict", Py_False, "object_hook", Py_None,
                                 "object_pairs_hook", Py_None, "parse_float", &PyFloat_Type,
                                 "parse_int", &PyLong_Type, "parse_constant", constant)
                 : NULL;

    return type && args && keywords ? PyObject_Call(type, args, keywords) : NULL;
}

PyObject *standby_scan_once(struct module_state *state)
{
    if (!state->scan_once) {
        _cleanup_object_ PyObject *make = attribute_import("_json", "make_scanner");
        _cleanup_object_ PyObject *context = make ? scanner_context() : NULL;
        state->scan_once = context ? PyObject_CallOneArg(make, context) : NULL;
    }
    return state->scan_once;
}

PyObject *standby_json_decode(struct module_state *state)
{
    if (!state->json_decode) {
        _cleanup_object_ PyObject *class = attribute_import("json", "JSONDecoder");
        _cleanup_object_ PyObject *args = PyTuple_New(0);
        _cleanup_object_ PyObject *keywords = Py_BuildValue("{sO}", "strict", Py_False);
        _cleanup_object_ PyObject *decoder =
            class && args && keywords ? PyObject_Call(class, args, keywords) : NULL;
        state->json_decode = decoder ? PyObject_GetAttrString(decoder, "decode") : NULL;
    }
    return state->json_decode;
}

PyObject *standby_json_loads(struct module_state *state)
{
    if (!state->json_loads)
        state->json_loads = attribute_import("json", "loads");
    return state->json_loads;
}

PyObject *standby_sleep(struct module_state *state)
{
    if (!state->sleep)
        state->sleep = attribute_import("time", "sleep");
    return state->sleep;
}
