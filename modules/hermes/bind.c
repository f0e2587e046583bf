/* SPDX-License-Identifier: MIT
 *
 * Binding in the order and with the words of CPython's own functions: keywords first, then too many
 * positional arguments, then missing ones.
 */
#include "hermes/bind.h"

#include "base/buf.h"
#include "base/str.h"

#include <string.h>

void bound_args_deinit(struct bound_args *bound)
{
    if (bound->values != bound->inline_values)
        PyMem_Free(bound->values);
    bound->values = NULL;
}

static int values_init(struct bound_args *bound, size_t count)
{
    *bound = (struct bound_args){.values = bound->inline_values};
    if (count <= BIND_INLINE_VALUES)
        return 0;
    bound->values = PyMem_Calloc(count, sizeof(PyObject *));
    if (bound->values)
        return 0;
    PyErr_NoMemory();
    return -1;
}

static const char *nearest_name(const struct tool_spec *spec, const char *name)
{
    const char **names = PyMem_Calloc(spec->param_count + 1, sizeof(*names));
    const char *nearest = NULL;

    for (size_t i = 0; names && i < spec->param_count; i++)
        names[i] = spec_param_python_name(&spec->params[i]);
    if (names)
        nearest = str_nearest(name, names, spec->param_count);
    PyMem_Free(names);
    return nearest;
}

/* " It takes a, b, c.", or nothing for a tool without parameters. */
static int parameters_append(struct buf *buf, const struct tool_spec *spec)
{
    const char *before = " It takes ";
    int r = 0;

    for (size_t i = 0; i < spec->param_count && r == 0; i++) {
        if (spec->params[i].hidden)
            continue;
        r = buf_append_format(buf, "%s%s", before, spec_param_python_name(&spec->params[i]));
        before = ", ";
    }
    if (r == 0 && buf->length)
        r = buf_append_text(buf, ".");
    return r < 0 ? r : buf_append(buf, "", 1);
}

static int unexpected_raise(const struct tool_spec *spec, PyObject *keyword, const char *name)
{
    const char *nearest = name ? nearest_name(spec, name) : NULL;
    _cleanup_buf_ struct buf parameters = BUF_INIT(0);

    if (nearest)
        PyErr_Format(PyExc_TypeError,
                     "%s() got an unexpected keyword argument '%S'. Did you mean '%s'?",
                     spec_python_name(spec), keyword, nearest);
    else if (parameters_append(&parameters, spec) < 0)
        PyErr_NoMemory();
    else
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument %R%s%s",
                     spec_python_name(spec), keyword, parameters.data[0] ? "." : "",
                     (const char *)parameters.data);
    return -1;
}

/* Names compare by their bytes: a str subclass cannot interfere. */
static int keyword_bind(struct bound_args *bound, const struct tool_spec *spec, PyObject *keyword,
                        PyObject *value)
{
    const char *name = PyUnicode_AsUTF8(keyword);
    if (!name)
        PyErr_Clear(); /* a lone surrogate is no parameter's name */
    int index = name ? spec_find_python_param(spec, name) : -1;
    if (index < 0 && name)
        index = spec_find_param(spec, name); /* **{"from": 1}: as the schema spells it */
    if (index < 0 && name && (spec->flags & SPEC_OPEN)) {
        bound->extra_count++;
        return 0;
    }
    if (index < 0)
        return unexpected_raise(spec, keyword, name);
    if (bound->values[index]) {
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'",
                     spec_python_name(spec), name);
        return -1;
    }
    bound->values[index] = value;
    return 0;
}

static size_t required_count(const struct tool_spec *spec)
{
    size_t count = 0;

    while (count < spec->param_count && spec->params[count].required)
        count++;
    return count;
}

static int too_many_raise(const struct tool_spec *spec, Py_ssize_t given)
{
    size_t least = required_count(spec), most = spec->param_count;
    const char *were = given == 1 ? "was" : "were";

    if (least < most)
        PyErr_Format(PyExc_TypeError,
                     "%s() takes from %zu to %zu positional arguments but %zd %s given",
                     spec_python_name(spec), least, most, given, were);
    else
        PyErr_Format(PyExc_TypeError, "%s() takes %zu positional argument%s but %zd %s given",
                     spec_python_name(spec), most, most == 1 ? "" : "s", given, were);
    return -1;
}

/* "'a'", "'a' and 'b'", "'a', 'b', and 'c'" */
static int names_append(struct buf *buf, const struct tool_spec *spec, PyObject *const *values,
                        size_t count)
{
    int r = 0;

    for (size_t i = 0, left = count; i < spec->param_count && r == 0; i++) {
        if (values[i] || !spec->params[i].required)
            continue;
        const char *before = left == count ? "" : left > 1 ? ", " : count == 2 ? " and " : ", and ";
        r = buf_append_format(buf, "%s'%s'", before, spec_param_python_name(&spec->params[i]));
        left--;
    }
    return r < 0 ? r : buf_append(buf, "", 1);
}

static int missing_check(const struct tool_spec *spec, PyObject *const *values)
{
    _cleanup_buf_ struct buf names = BUF_INIT(0);
    size_t count = 0;

    for (size_t i = 0; i < spec->param_count; i++)
        count += spec->params[i].required && !values[i];
    if (count == 0)
        return 0;
    if (names_append(&names, spec, values, count) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    PyErr_Format(PyExc_TypeError, "%s() missing %zu required positional argument%s: %s",
                 spec_python_name(spec), count, count == 1 ? "" : "s", (const char *)names.data);
    return -1;
}

int bind_arguments(struct bound_args *bound, const struct tool_spec *spec, PyObject *const *args,
                   Py_ssize_t positional_count, PyObject *keyword_names)
{
    Py_ssize_t keyword_count = keyword_names ? PyTuple_GET_SIZE(keyword_names) : 0;
    size_t positional = (size_t)positional_count;

    if (values_init(bound, spec->param_count) < 0)
        return -1;
    for (size_t i = 0; i < positional && i < spec->param_count; i++)
        bound->values[i] = args[i];
    bound->extra_names = keyword_names;
    bound->extra_values = args + positional;
    for (Py_ssize_t i = 0; i < keyword_count; i++)
        if (keyword_bind(bound, spec, PyTuple_GET_ITEM(keyword_names, i),
                         args[positional + (size_t)i]) < 0)
            return -1;
    if (positional > spec->param_count)
        return too_many_raise(spec, positional_count);
    return missing_check(spec, bound->values);
}
