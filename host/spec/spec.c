/* SPDX-License-Identifier: MIT
 *
 * Questions about a spec: its parameters, and which calls may run side by side.
 */
#include "spec/spec.h"

#include <string.h>

int spec_find_param(const struct tool_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->param_count; i++)
        if (strcmp(spec->params[i].name, name) == 0)
            return (int)i;
    return -1;
}

int spec_find_python_param(const struct tool_spec *spec, const char *python_name)
{
    for (size_t i = 0; i < spec->param_count; i++)
        if (strcmp(spec_param_python_name(&spec->params[i]), python_name) == 0)
            return (int)i;
    return -1;
}

/* The host's own tools touch nothing that the run's tools could see half done. */
static bool overlaps_all(const struct tool_spec *spec)
{
    return spec->place == SPEC_BROKER && (spec->flags & SPEC_PARALLEL_SAFE);
}

bool spec_may_overlap(const struct tool_spec *a, const struct tool_spec *b)
{
    if (overlaps_all(a) || overlaps_all(b))
        return true;
    if (!(a->flags & b->flags & SPEC_PARALLEL_SAFE))
        return false;
    return (a->flags & SPEC_READ_ONLY) == (b->flags & SPEC_READ_ONLY);
}
