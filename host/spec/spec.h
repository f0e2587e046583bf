/* SPDX-License-Identifier: MIT
 *
 * What a tool is, written once. Argument binding and its TypeErrors, inspect.signature, help(), the
 * .pyi stub, JSON Schema, docs/tools.md, argument validation and defaults all come from these
 * structs. Specs do not know who runs a tool: handlers are found by name elsewhere.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum spec_type {
    SPEC_STRING,
    SPEC_INTEGER,
    SPEC_NUMBER,
    SPEC_BOOLEAN,
    SPEC_ARRAY,  /* Python list; items of any JSON type */
    SPEC_OBJECT, /* Python dict */
    SPEC_ANY,
};

struct spec_param {
    const char *name;
    enum spec_type type;
    bool nullable;            /* None is accepted (and, when it is the default, means "not given") */
    bool required;
    const char *default_json; /* JSON text of the default when not required: "null", "500", "\".\"" */
    const char *doc;          /* one line, with units */
    const char *const *choices; /* NULL-terminated list of allowed strings, or NULL */
    bool hidden;              /* accepted and documented for people, left out of model-facing schemas */
};

enum spec_place {
    SPEC_LOCAL,  /* runs in the run's own tools process */
    SPEC_BROKER, /* runs in the host, which has the secrets and the network */
};

enum spec_flags {
    SPEC_READ_ONLY = 1 << 0,
    SPEC_PARALLEL_SAFE = 1 << 1,
    SPEC_NEEDS_APPROVAL = 1 << 2,
    SPEC_RAISES = 1 << 3, /* a result with "error" is raised as ToolError instead of returned */
};

struct tool_spec {
    const char *name;
    const char *summary; /* first line: one sentence; more lines may follow after a blank one */
    const struct spec_param *params;
    size_t param_count;
    const char *result_doc; /* one line: the result's keys */
    enum spec_place place;
    unsigned flags;
};

/* The parameter's index or -1. */
int spec_find_param(const struct tool_spec *spec, const char *name);

/* Two calls may overlap when both tools are parallel-safe and they are of one kind: readers with
 * readers, shell commands with shell commands; tools of the host overlap with everything. */
bool spec_may_overlap(const struct tool_spec *a, const struct tool_spec *b);

/* Validates args (an object) against the spec and fills in defaults: unknown keys refused with the
 * nearest name, missing and mistyped ones named. Integers given as integral floats or numeric
 * strings are coerced; each coercion adds a sentence to warning (may be NULL). Never edits args.
 * NULL on error. */
json_t *spec_validate(const struct tool_spec *spec, const json_t *args, struct buf *warning,
                      struct err *err);

/* The Python spelling of a type for signatures: "str", "int", "Optional[int]"... static strings. */
const char *spec_python_type(const struct spec_param *param);

/* The Python spelling of the default ("None", "True", "'.'", "500"), appended. */
int spec_python_default(struct buf *buf, const struct spec_param *param);

/* Heap copy of a spec that came as JSON Schema (an embedder's or an MCP tool), and back.
 * {"name","description","parameters":{JSON Schema object},"place","flags":[...]} */
struct tool_spec *spec_from_json(const json_t *json, struct err *err);
json_t *spec_to_json(const struct tool_spec *spec);
struct tool_spec *spec_free(struct tool_spec *spec); /* only for spec_from_json; returns NULL */
