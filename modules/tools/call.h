/* SPDX-License-Identifier: MIT
 *
 * What a handler asks about its own call: has the caller given up, is the time over.
 */
#pragma once

#include "tools/tools.h"

/* 0: go on; -ECANCELED: the caller has given up; -ETIME: the deadline has passed. */
int call_check(const struct tool_call *call);

/* {"error": "..."} for what call_check said. */
json_t *call_stopped_error(int code, const char *doing, const char *path);
