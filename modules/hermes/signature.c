/* SPDX-License-Identifier: MIT
 *
 * inspect.Signature and __annotations__ of a tool, made from its spec when somebody asks. Types and
 * defaults are the Python text that the stub file has, evaluated, so that the two cannot differ.
 */
#include "hermes/state.h"

#include "base/buf.h"

/* {"__builtins__": ..., "Any": ..., "Optional": ...}: what the types' text needs. */
static PyObject *namespace_new(void)
{
    static const char *const names[] = {"Any", "Optional"};
    _cleanup_object_ PyObject *typing = PyImport_ImportModule("typing");
    _cleanup_object_ PyObject *builtins = PyImport_ImportModule("builtins");
    _cleanup_object_ PyObject *namespace = PyDict_New();

    if (!typing || !builtins || !namespace ||
        PyDict_SetItemString(namespace, "__builtins__", builtins) < 0)
        return NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        _cleanup_object_ PyObject *value = PyObject_GetAttrString(typing, names[i]);
        if (!value || PyDict_SetItemString(namespace, names[i], value) < 0)
            return NULL;
    }
    return object_steal(&namespace);
}

static PyObject *text_evaluate(const char *text, PyObject *namespace)
{
    return PyRun_String(text, Py_eval_input, namespace, namespace);
}

static PyObject *default_new(const struct spec_param *param, PyObject *namespace)
{
    _cleanup_buf_ struct buf text = BUF_INIT(0);

    if (spec_python_default(&text, param) < 0 || buf_append(&text, "", 1) < 0)
        return PyErr_NoMemory();
    return text_evaluate((const char *)text.data, namespace);
}

/* inspect.Parameter(name, kind, default=..., annotation=...) */
static PyObject *parameter_new(PyObject *class, const char *kind_name, const char *name,
                               PyObject *default_value, PyObject *annotation)
{
    _cleanup_object_ PyObject *kind = PyObject_GetAttrString(class, kind_name);
    _cleanup_object_ PyObject *args = kind ? Py_BuildValue("(sO)", name, kind) : NULL;
    _cleanup_object_ PyObject *keywords = PyDict_New();

    if (!args || !keywords || PyDict_SetItemString(keywords, "annotation", annotation) < 0)
        return NULL;
    if (default_value && PyDict_SetItemString(keywords, "default", default_value) < 0)
        return NULL;
    return PyObject_Call(class, args, keywords);
}

static PyObject *parameter_of(PyObject *class, const struct spec_param *param, PyObject *namespace)
{
    _cleanup_object_ PyObject *annotation = text_evaluate(spec_python_type(param), namespace);
    _cleanup_object_ PyObject *value = NULL;

    if (!annotation)
        return NULL;
    if (!param->required && !(value = default_new(param, namespace)))
        return NULL;
    return parameter_new(class, "POSITIONAL_OR_KEYWORD", spec_param_python_name(param), value,
                         annotation);
}

static int parameters_fill(PyObject *list, PyObject *class, const struct tool_spec *spec,
                           PyObject *namespace)
{
    for (size_t i = 0; i < spec->param_count; i++) {
        _cleanup_object_ PyObject *parameter = parameter_of(class, &spec->params[i], namespace);
        if (!parameter || PyList_Append(list, parameter) < 0)
            return -1;
    }
    if (!(spec->flags & SPEC_OPEN))
        return 0;
    PyObject *any = PyDict_GetItemString(namespace, "Any");
    _cleanup_object_ PyObject *rest = parameter_new(class, "VAR_KEYWORD", "kwargs", NULL, any);
    return rest ? PyList_Append(list, rest) : -1;
}

PyObject *signature_new(const struct tool_spec *spec)
{
    _cleanup_object_ PyObject *inspect = PyImport_ImportModule("inspect");
    _cleanup_object_ PyObject *namespace = inspect ? namespace_new() : NULL;
    _cleanup_object_ PyObject *class =
        namespace ? PyObject_GetAttrString(inspect, "Parameter") : NULL;
    _cleanup_object_ PyObject *list = class ? PyList_New(0) : NULL;

    if (!list || parameters_fill(list, class, spec, namespace) < 0)
        return NULL;
    _cleanup_object_ PyObject *signature = PyObject_GetAttrString(inspect, "Signature");
    _cleanup_object_ PyObject *args = signature ? PyTuple_Pack(1, list) : NULL;
    _cleanup_object_ PyObject *keywords =
        args ? Py_BuildValue("{sO}", "return_annotation", (PyObject *)&PyDict_Type) : NULL;
    return keywords ? PyObject_Call(signature, args, keywords) : NULL;
}

PyObject *annotations_new(const struct tool_spec *spec)
{
    _cleanup_object_ PyObject *namespace = namespace_new();
    _cleanup_object_ PyObject *annotations = namespace ? PyDict_New() : NULL;

    if (!annotations)
        return NULL;
    for (size_t i = 0; i < spec->param_count; i++) {
        const struct spec_param *param = &spec->params[i];
        _cleanup_object_ PyObject *type = text_evaluate(spec_python_type(param), namespace);
        if (!type || PyDict_SetItemString(annotations, spec_param_python_name(param), type) < 0)
            return NULL;
    }
    if (PyDict_SetItemString(annotations, "return", (PyObject *)&PyDict_Type) < 0)
        return NULL;
    return object_steal(&annotations);
}
