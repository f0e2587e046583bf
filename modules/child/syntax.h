/* SPDX-License-Identifier: MIT
 *
 * Whether a text is valid Python or TOML, asked of the interpreter in a forked child of the tools
 * process: a parser that crashes or hangs costs nothing but the verdict.
 */
#pragma once

#include "base/json.h"

/* See tools_config.check_syntax. */
json_t *syntax_check(const char *language, const char *text, size_t length, bool *ret_checked);
