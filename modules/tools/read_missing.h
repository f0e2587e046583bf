/* SPDX-License-Identifier: MIT
 *
 * What read_file answers when there is no such file: the twin that only Unicode spells otherwise,
 * or an error with similar names.
 */
#pragma once

#include "tools/path.h"

struct buf;

/* NULL: a twin was opened into *ret_fd, path and status are its own, and a sentence was added to
 * note. Else the error. */
json_t *missing_file(struct tool_call *call, const char *text, struct path *path, int *ret_fd,
                     struct stat *ret_status, struct buf *note);
