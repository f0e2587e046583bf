/* SPDX-License-Identifier: MIT
 *
 * Python text made from specs: def lines, docstrings, the whole hermes_tools.pyi.
 */
#pragma once

#include "spec/toolset.h"

/* "terminal(command: str, timeout: Optional[int] = None, workdir: Optional[str] = None) -> dict" */
int pystub_append_signature(struct buf *buf, const struct tool_spec *spec);

/* The same for a model's eyes: hidden parameters and the return type left out, choices spelled out.
 */
int pystub_append_short_signature(struct buf *buf, const struct tool_spec *spec);

/* The docstring: summary, Args, Returns. */
int pystub_append_doc(struct buf *buf, const struct tool_spec *spec);

/* The whole stub file for a set of tools, helpers (json_parse, shell_quote, retry, ToolError,
 * tools, search_tools, describe) and the aio submodule's functions included. A .pyi cannot hold a
 * submodule, so aio is a class of static coroutines: `from hermes_tools import aio` type-checks. */
int pystub_append_module(struct buf *buf, const struct toolset *set);
