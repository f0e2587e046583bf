/* SPDX-License-Identifier: MIT
 *
 * The whole hermes_tools.pyi: a fixed frame around the tools of a set.
 */
#include "spec/pystub.h"

#include "base/buf.h"

#include <string.h>

static const char module_head[] =
    "# Made by `ptc-host stubs` from the tool specs; edit those instead.\n"
    "\"\"\"Tools of the host as plain functions.\n"
    "\n"
    "Every tool returns a dict. Calls from several threads run side by side. The names of this "
    "module\n"
    "that are not enabled in a run cannot be imported there; the ImportError lists what can.\n"
    "\"\"\"\n"
    "from os import PathLike\n"
    "from typing import Any, Callable, Optional, TypeVar\n"
    "\n"
    "_T = TypeVar(\"_T\")\n"
    "\n";

static const char module_helpers[] =
    "class ToolError(Exception):\n"
    "    \"\"\"A tool of the embedder or of an MCP server answered with an error.\n"
    "\n"
    "    tool is its name, result all that it answered.\n"
    "    \"\"\"\n"
    "\n"
    "    tool: str\n"
    "    result: dict\n"
    "\n"
    "def json_parse(text: str | bytes | bytearray) -> Any:\n"
    "    \"\"\"Parse JSON; raw newlines and tabs inside strings and a leading BOM are "
    "allowed.\"\"\"\n"
    "\n"
    "def shell_quote(s: str | PathLike[str]) -> str:\n"
    "    \"\"\"Quote text as one word of a POSIX shell command.\"\"\"\n"
    "\n"
    "def retry(fn: Callable[[], _T], max_attempts: int = 3, delay: float = 2) -> _T:\n"
    "    \"\"\"Return fn(); after an exception wait delay, then 2 * delay, ... seconds and try "
    "again.\n"
    "\n"
    "    The exception of the last attempt is raised; there is no wait after it.\n"
    "    \"\"\"\n"
    "\n"
    "def tools() -> list[str]:\n"
    "    \"\"\"The names of the tools that are enabled in this run.\"\"\"\n"
    "\n"
    "def search_tools(query: str) -> list[str]:\n"
    "    \"\"\"The names of enabled tools whose name or description has the words of query, best "
    "first.\"\"\"\n"
    "\n"
    "def describe(name: str | Callable[..., Any]) -> str:\n"
    "    \"\"\"Signature and documentation of a tool, given by name or as the function.\"\"\"\n"
    "\n";

static const char aio_head[] =
    "class aio:\n"
    "    \"\"\"The same tools as coroutines: `from hermes_tools import aio`, then\n"
    "    `await asyncio.gather(...)`. At run time this is the submodule hermes_tools.aio.\n"
    "    \"\"\"\n";

/* Text as it may stand between triple quotes, indented. Lines that are empty stay empty. */
static int docstring_append(struct buf *buf, const char *text, size_t length, const char *indent)
{
    int r = buf_append_format(buf, "%s\"\"\"", indent);

    for (size_t i = 0; i < length && r == 0; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\\' || c == '"')
            r = buf_append_format(buf, "\\%c", c);
        else if (c == '\n')
            r = buf_append_format(buf, "\n%s", i + 1 < length && text[i + 1] != '\n' ? indent : "");
        else if (c < 0x20 && c != '\t')
            r = buf_append_format(buf, "\\x%02x", c);
        else
            r = buf_append(buf, &text[i], 1);
    }
    if (r == 0 && memchr(text, '\n', length))
        r = buf_append_format(buf, "\n%s", indent);
    return r < 0 ? r : buf_append_text(buf, "\"\"\"\n");
}

static int tool_append(struct buf *buf, const struct tool_spec *spec)
{
    _cleanup_buf_ struct buf doc = BUF_INIT(0);
    int r = buf_append_text(buf, "def ");

    if (r == 0)
        r = pystub_append_signature(buf, spec);
    if (r == 0)
        r = buf_append_text(buf, ":\n");
    if (r == 0)
        r = pystub_append_doc(&doc, spec);
    if (r == 0)
        r = docstring_append(buf, (const char *)doc.data, doc.length, "    ");
    return r < 0 ? r : buf_append_text(buf, "\n");
}

static int coroutine_append(struct buf *buf, const struct tool_spec *spec)
{
    int r = buf_append_text(buf, "\n    @staticmethod\n    async def ");
    if (r == 0)
        r = pystub_append_signature(buf, spec);
    return r < 0 ? r : buf_append_text(buf, ": ...\n");
}

static int all_append(struct buf *buf, const struct toolset *set)
{
    int r = buf_append_text(buf, "__all__ = [\n");

    for (size_t i = 0; i < set->count && r == 0; i++)
        r = buf_append_format(buf, "    \"%s\",\n", spec_python_name(set->specs[i]));
    return r < 0 ? r
                 : buf_append_text(buf, "    \"ToolError\",\n    \"json_parse\",\n"
                                        "    \"shell_quote\",\n    \"retry\",\n    \"tools\",\n"
                                        "    \"search_tools\",\n    \"describe\",\n]\n\n");
}

int pystub_append_module(struct buf *buf, const struct toolset *set)
{
    int r = buf_append_text(buf, module_head);

    if (r == 0)
        r = all_append(buf, set);
    if (r == 0)
        r = buf_append_text(buf, module_helpers);
    for (size_t i = 0; i < set->count && r == 0; i++)
        r = tool_append(buf, set->specs[i]);
    if (r == 0)
        r = buf_append_text(buf, aio_head);
    for (size_t i = 0; i < set->count && r == 0; i++)
        r = coroutine_append(buf, set->specs[i]);
    return r;
}
