/* SPDX-License-Identifier: MIT
 *
 * Arguments of a call, bound to a spec's parameters as Python binds them to a def line, with
 * Python's own TypeErrors.
 */
#pragma once

#include "python/compat.h"
#include "spec/spec.h"

#define BIND_INLINE_VALUES 16

struct bound_args {
    PyObject **values; /* borrowed, one for each parameter, NULL: not given */
    PyObject *inline_values[BIND_INLINE_VALUES];
    PyObject *const *extra_values; /* SPEC_OPEN: keywords that name no parameter */
    PyObject *extra_names;         /* borrowed tuple of all keyword names, or NULL */
    size_t extra_count;
};

void bound_args_deinit(struct bound_args *bound);

/* The vectorcall convention. Values are borrowed from args. 0, or -1 with TypeError. */
int bind_arguments(struct bound_args *bound, const struct tool_spec *spec, PyObject *const *args,
                   Py_ssize_t positional_count, PyObject *keyword_names);
