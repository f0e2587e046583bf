/* SPDX-License-Identifier: MIT
 *
 * The seven built-in tools, and a run's selection of tools. An empty selection means no tools.
 */
#pragma once

#include "spec/spec.h"

/* The built-in specs in their documented order. */
const struct tool_spec *const *toolset_builtin(size_t *ret_count);
const struct tool_spec *toolset_builtin_find(const char *name); /* NULL when there is none */

/* Names that the reference accepts on the wire and that are dropped before a handler sees them
 * (background, pty, ...). True when param is one of them for this tool. */
bool toolset_is_forbidden_param(const struct tool_spec *spec, const char *param);

/* An ordered set of borrowed specs. */
struct toolset {
    const struct tool_spec **specs;
    size_t count;
};

void toolset_deinit(struct toolset *set); /* frees the array, not the specs */
int toolset_add(struct toolset *set, const struct tool_spec *spec); /* 0, -EEXIST, -ENOMEM */
const struct tool_spec *toolset_find(const struct toolset *set, const char *name);

/* "read_file,terminal", "all", "none" or "" -> the builtin selection, plus `extra` (the embedder's,
 * may be NULL) when "all" or named. Fills *set anew; it is empty after an error. An unknown name is
 * an error that names the nearest. 0 or -EINVAL, -ENOMEM. */
int toolset_select(struct toolset *set, const char *list, const struct toolset *extra,
                   struct err *err);

/* "a, b and c", or "none": for messages. Appends. */
int toolset_append_names(struct buf *buf, const struct toolset *set);
