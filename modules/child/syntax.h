/* SPDX-License-Identifier: MIT
 *
 * Whether a text is valid Python or TOML, asked of the interpreter in a forked child of the tools
 * process: a parser that crashes or hangs costs nothing but the verdict.
 */
#pragma once

#include "base/json.h"

/* See tools_config.check_syntax. setup: the struct zygote_setup, for a tools process whose zygote
 * had no interpreter. */
json_t *syntax_check(const void *setup, const char *language, const char *text, size_t length,
                     bool *ret_checked);
