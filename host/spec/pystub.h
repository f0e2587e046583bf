/* SPDX-License-Identifier: MIT
 *
 * Python text made from specs: def lines, docstrings, the whole hermes_tools.pyi.
 */
#pragma once

#include "spec/toolset.h"

/* "terminal(command: str, timeout: Optional[int] = None, workdir: Optional[str] = None) -> dict" */
int pystub_append_signature(struct buf *buf, const struct tool_spec *spec);

/* The docstring: summary, Args, Returns. */
int pystub_append_doc(struct buf *buf, const struct tool_spec *spec);

/* The whole stub file for a set of tools, helpers (json_parse, shell_quote, retry, ToolError,
 * tools, search_tools, describe) and the aio submodule's functions included. */
int pystub_append_module(struct buf *buf, const struct toolset *set);
