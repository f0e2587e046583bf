/* SPDX-License-Identifier: MIT
 *
 * The syntax verdict on a text that is to be written: JSON and YAML here, TOML and Python by the
 * embedded interpreter.
 */
#pragma once

#include "tools/tools.h"

struct lint {
    json_t *report; /* {"status": "ok" | "error" | "skipped", "output", "message"}; owned */
    bool failed;
    bool blocks;          /* this kind of file must not be written while it does not parse */
    const char *language; /* "JSON", "YAML", "TOML", "Python"; NULL for the rest */
};

/* Judges text by path's extension; a byte order mark is not part of it. */
void lint_text(const struct tool_call *call, const char *path, const char *text, size_t length,
               struct lint *ret_lint);

static inline void lint_cleanup(struct lint *lint)
{
    json_decref(lint->report);
}
#define _cleanup_lint_ __attribute__((cleanup(lint_cleanup)))

/* What is to be reported when `after` failed: faults that `before` (the old text's verdict, may be
 * empty) had too are left out. Returns a new report. */
json_t *lint_delta(const struct lint *before, const struct lint *after);
