/* SPDX-License-Identifier: MIT
 *
 * The execute_code description and JSON Schemas, made from the specs and the configured limits.
 */
#pragma once

#include "spec/toolset.h"

enum schema_format { SCHEMA_OPENAI, SCHEMA_ANTHROPIC, SCHEMA_MCP };

struct schema_limits { /* 0 = unlimited; only what is configured is promised */
    uint64_t timeout_ms;
    uint64_t output_bytes;
    uint64_t tool_calls;
    bool no_tool_calls; /* not even one */
};

/* The tool definition an agent registers: name execute_code, `code` required, a description that
 * documents only the enabled tools and the configured limits. New reference or NULL (no memory). */
json_t *schema_execute_code(const struct toolset *tools, const struct schema_limits *limits,
                            enum schema_format format);

/* JSON Schema of one tool's parameters (type object, additionalProperties false). */
json_t *schema_tool_parameters(const struct tool_spec *spec);
