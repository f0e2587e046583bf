/* SPDX-License-Identifier: MIT
 *
 * The execute_code definition. Its description is the only manual that a model gets: it says
 * nothing of tools that are not enabled, and no limit that is not configured.
 */
#include "spec/schema.h"

#include "spec/pystub.h"

#include "base/buf.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static const char intro[] =
    "Run a Python script (CPython 3, standard library). Only what it prints comes back: print what "
    "you want to see, and keep it short.";

static const char intro_tools[] =
    " Tool results stay inside the script, so use it for several calls that depend on each other, "
    "for "
    "loops and conditions, and for filtering large results.\n\nImport the tools you need: from "
    "hermes_tools import ";

static const char helpers[] =
    "\n\nHelpers, no import needed: json_parse(text) reads JSON and allows raw newlines in "
    "strings; "
    "shell_quote(s) makes one safe shell word; retry(fn, max_attempts=3, delay=2) calls fn() again "
    "after an exception.";

static const char side_by_side[] =
    "\n\nTop-level await works, and hermes_tools.aio has the same functions as coroutines (await "
    "asyncio.gather(...)). Calls from threads run in parallel where that "
    "is safe.";

/* The import line: two names show the form, the list below has the rest. Local tools first: they need
 * no keys and no network. */
static int import_append(struct buf *buf, const struct toolset *tools)
{
    static const enum spec_place places[] = {SPEC_LOCAL, SPEC_BROKER};
    size_t named = 0;
    int r = 0;

    for (size_t p = 0; p < 2; p++)
        for (size_t i = 0; i < tools->count && named < 2 && r == 0; i++)
            if (tools->specs[i]->place == places[p])
                r = buf_append_format(buf, "%s%s", named++ ? ", " : "",
                                      spec_python_name(tools->specs[i]));
    return r;
}

/* The summary's first line; more lines are for help(). */
static int tool_append(struct buf *buf, const struct tool_spec *spec)
{
    int r = buf_append_text(buf, "\n- ");
    if (r == 0)
        r = pystub_append_short_signature(buf, spec);
    if (r == 0 && *spec->summary)
        r = buf_append_format(buf, ": %.*s", (int)strcspn(spec->summary, "\n"), spec->summary);
    if (r == 0 && *spec->result_doc)
        r = buf_append_format(buf, " Keys: %s.", spec->result_doc);
    return r;
}

static int failures_append(struct buf *buf, const struct toolset *tools)
{
    bool raises = false, returns = false;

    for (size_t i = 0; i < tools->count; i++) {
        raises = raises || (tools->specs[i]->flags & SPEC_RAISES);
        returns = returns || !(tools->specs[i]->flags & SPEC_RAISES);
    }
    if (!raises)
        return buf_append_text(buf,
                               "\nEach returns a dict; after a failure it has the key error, so "
                               "check result.get('error').");
    if (!returns)
        return buf_append_text(buf, "\nEach returns a dict; a failure raises "
                                    "hermes_tools.ToolError.");
    int r =
        buf_append_text(buf, "\nEach returns a dict. A failure raises hermes_tools.ToolError in:");
    for (size_t i = 0; i < tools->count && r == 0; i++)
        if (tools->specs[i]->flags & SPEC_RAISES)
            r = buf_append_format(buf, " %s", spec_python_name(tools->specs[i]));
    return r < 0 ? r : buf_append_text(buf, "; in the others the dict then has the key error.");
}

static int tools_append(struct buf *buf, const struct toolset *tools)
{
    if (tools->count == 0)
        return buf_append_text(buf, " No tools are enabled.");

    int r = buf_append_text(buf, intro_tools);
    if (r == 0)
        r = import_append(buf, tools);
    if (r == 0)
        r = buf_append_text(buf, "\n\nTools:");
    for (size_t i = 0; i < tools->count && r == 0; i++)
        r = tool_append(buf, tools->specs[i]);
    return r < 0 ? r : failures_append(buf, tools);
}

/* 50000 -> "50,000": models misread long digits. */
static int count_append(struct buf *buf, uint64_t value)
{
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);
    int r = 0;

    for (int i = 0; i < length && r == 0; i++)
        r = buf_append_format(buf, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
    return r;
}

static int timeout_append(struct buf *buf, uint64_t timeout_ms)
{
    if (timeout_ms == 0)
        return buf_append_text(buf, "no time limit");
    if (timeout_ms % 1000 == 0)
        return buf_append_format(buf, "%" PRIu64 " seconds", timeout_ms / 1000);
    return buf_append_format(buf, "%.15g seconds", (double)timeout_ms / 1000);
}

static int limits_append(struct buf *buf, const struct toolset *tools,
                         const struct schema_limits *limits)
{
    int r = buf_append_text(buf, "\n\nLimits: ");
    if (r == 0)
        r = timeout_append(buf, limits->timeout_ms);
    if (r == 0 && tools->count > 0) {
        r = buf_append_text(buf, ", ");
        if (r == 0)
            r = limits->no_tool_calls    ? buf_append_text(buf, "no")
                : limits->tool_calls > 0 ? count_append(buf, limits->tool_calls)
                                         : buf_append_text(buf, "any number of");
        if (r == 0)
            r = buf_append_text(buf, limits->tool_calls == 1 ? " tool call" : " tool calls");
    }
    if (r < 0)
        return r;
    if (limits->output_bytes == 0)
        return buf_append_text(buf, ", unlimited output.");
    r = buf_append_text(buf, ", ");
    if (r == 0)
        r = count_append(buf, limits->output_bytes);
    return r < 0 ? r : buf_append_text(buf, " bytes of output (of more, the middle is left out).");
}

static int description_append(struct buf *buf, const struct toolset *tools,
                              const struct schema_limits *limits)
{
    int r = buf_append_text(buf, intro);
    if (r == 0)
        r = tools_append(buf, tools);
    if (r == 0)
        r = buf_append_text(buf, helpers);
    if (r == 0)
        r = tools->count > 0 ? buf_append_text(buf, side_by_side)
                             : buf_append_text(buf, "\n\nTop-level await works.");
    return r < 0 ? r : limits_append(buf, tools, limits);
}

static json_t *description_json(const struct toolset *tools, const struct schema_limits *limits)
{
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    if (description_append(&text, tools, limits) < 0)
        return NULL;
    return json_text((const char *)text.data, text.length);
}

static json_t *code_parameters(void)
{
    static const char text[] =
        "{\"type\":\"object\",\"properties\":{\"code\":{\"type\":\"string\",\"description\":"
        "\"Python source of the whole script.\"}},\"required\":[\"code\"],"
        "\"additionalProperties\":false}";
    return json_parse(text, sizeof(text) - 1, JSON_DEPTH_MAX, NULL);
}

json_t *schema_execute_code(const struct toolset *tools, const struct schema_limits *limits,
                            enum schema_format format)
{
    static const char *const parameters_keys[] = {
        [SCHEMA_OPENAI] = "parameters",
        [SCHEMA_ANTHROPIC] = "input_schema",
        [SCHEMA_MCP] = "inputSchema",
    };
    _cleanup_json_ json_t *tool = json_object();
    json_t *description = description_json(tools, limits);

    if (json_object_set_new(tool, "name", json_string("execute_code")) < 0) {
        json_decref(description);
        return NULL;
    }
    if (json_object_set_new(tool, "description", description) < 0 ||
        json_object_set_new(tool, parameters_keys[format], code_parameters()) < 0)
        return NULL;
    if (format != SCHEMA_OPENAI)
        return json_incref(tool);

    _cleanup_json_ json_t *outer = json_object();
    if (json_object_set_new(outer, "type", json_string("function")) < 0 ||
        json_object_set(outer, "function", tool) < 0)
        return NULL;
    return json_incref(outer);
}
