/* SPDX-License-Identifier: MIT
 *
 * The handlers of the local tools, one file each. tools_find hands them out by name.
 */
#pragma once

#include "tools/tools.h"

json_t *tool_read_file(struct tool_call *call, const json_t *args);
json_t *tool_write_file(struct tool_call *call, const json_t *args);
json_t *tool_terminal(struct tool_call *call, const json_t *args);
json_t *tool_search_files(struct tool_call *call, const json_t *args);
