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

/* Another spelling of a choice that models use; the handler only ever sees `means`. */
struct spec_alias {
    const char *text, *means;
};

struct spec_param {
    const char *name; /* exact, as in schemas and on the wire */
    enum spec_type type;
    bool nullable; /* None is accepted (and, when it is the default, means "not given") */
    bool required;
    const char *default_json; /* JSON text of the default when not required: "null", "500", "\".\"";
                          NULL: an optional argument that is simply left out when not given */
    const char *doc;          /* one line, with units */
    const char *const *choices; /* NULL-terminated list of allowed strings, or NULL */
    bool hidden; /* accepted and documented for people, left out of model-facing schemas */
    const struct spec_alias *aliases; /* of choices; ends with a NULL text; or NULL */
    const char *python_name;          /* NULL: as name. Read it with spec_param_python_name */
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
    SPEC_OPEN = 1 << 4,   /* takes further keyword arguments of any name and type (**kwargs) */
};

struct tool_spec {
    const char *name;
    const char *summary; /* first line: one sentence; more lines may follow after a blank one */
    const struct spec_param *params; /* required ones first: a Python signature demands it */
    size_t param_count;
    const char *result_doc; /* one line: the result's keys */
    enum spec_place place;
    unsigned flags;
    const char *python_name; /* NULL: as name. Read it with spec_python_name */
};

/* How Python code spells a tool or an argument. They differ from the exact name where that is no
 * identifier ("create-issue" -> create_issue) or is taken, by the language or by hermes_tools
 * itself
 * ("from" -> from_, "retry" -> retry_). Unique within the spec. */
static inline const char *spec_python_name(const struct tool_spec *spec)
{
    return spec->python_name ? spec->python_name : spec->name;
}
static inline const char *spec_param_python_name(const struct spec_param *param)
{
    return param->python_name ? param->python_name : param->name;
}

/* The rule behind these two, for names that are no spec's: a heap string, NULL without memory. */
char *spec_make_python_name(const char *name, bool is_function);

/* The parameter's index or -1. By exact name, or by the name that Python code uses. */
int spec_find_param(const struct tool_spec *spec, const char *name);
int spec_find_python_param(const struct tool_spec *spec, const char *python_name);

/* Two calls may overlap when both tools are parallel-safe and they are of one kind: readers with
 * readers, shell commands with shell commands; tools of the host overlap with everything. */
bool spec_may_overlap(const struct tool_spec *a, const struct tool_spec *b);

/* Validates args (an object; NULL is an empty one) against the spec and fills in defaults: unknown
 * keys refused with the nearest name, missing and mistyped ones named. Numbers given as integral
 * floats or numeric strings are coerced, and a number that cannot be read as one becomes the
 * default when there is one; each adds a sentence to warning (may be NULL). Names that
 * toolset_is_forbidden_param knows are dropped in silence. Never edits args. A new reference, or
 * NULL on error: -EINVAL with a sentence for the script's author, or -ENOMEM. */
json_t *spec_validate(const struct tool_spec *spec, const json_t *args, struct buf *warning,
                      struct err *err);

/* The Python spelling of a type for signatures: "str", "int", "Optional[int]", "Any"... static
 * strings. An argument that may be left out is Optional. */
const char *spec_python_type(const struct spec_param *param);

/* The Python spelling of the default ("None", "True", "'.'", "500"), appended; nothing when
 * required. */
int spec_python_default(struct buf *buf, const struct spec_param *param);

/* Heap copy of a spec that came as JSON Schema (an embedder's or an MCP tool), and back.
 * {"name","description","parameters":{JSON Schema object},"result","place","flags":[...]}
 * Only name is required. place: "broker" (default) or "local". flags: "read_only", "parallel_safe",
 * "needs_approval", "returns_errors" (without it the spec has SPEC_RAISES). Property order is kept,
 * required ones first; a shape that spec_type cannot say (anyOf, $ref, ...) is SPEC_ANY; SPEC_OPEN
 * when additionalProperties says so or no properties are named. Aliases do not travel. */
struct tool_spec *spec_from_json(const json_t *json, struct err *err);
json_t *spec_to_json(const struct tool_spec *spec);
struct tool_spec *spec_free(struct tool_spec *spec); /* only for spec_from_json; returns NULL */
