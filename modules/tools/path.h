/* SPDX-License-Identifier: MIT
 *
 * From the text a script gave to a file descriptor. A path is first resolved to its real name
 * (every link followed by hand, each name on the way shown to the rules), then that name is opened
 * with links refused altogether: whoever swaps a link in between gets an error, never another file.
 */
#pragma once

#include "tools/state.h"
#include "tools/tools.h"

#include <stdbool.h>
#include <sys/stat.h>

struct err;

/* Says why a normalised absolute name is refused, or NULL. Called with every name on the way. */
typedef const char *(*path_rule)(const struct tools_config *config, const char *path);

struct path {
    char *real;    /* absolute, no links; the last parts need not exist */
    bool relative; /* the text was relative, so it is meant to lie in the workspace */
};

/* 0; -EACCES with the rule's words; -ELOOP, -ENOTDIR, -ENAMETOOLONG, -ENOMEM, ... */
int path_resolve(const struct tool_call *call, const char *text, path_rule rule,
                 struct path *ret_path, struct err *err);

static inline void path_cleanup(struct path *path)
{
    free(path->real);
}
#define _cleanup_path_ __attribute__((cleanup(path_cleanup)))

/* Opens a real name: close-on-exec, never blocking, never a controlling terminal, no links.
 * The fd or negative errno. */
int path_open(const struct tool_call *call, const char *real, int flags);

/* Opens a regular file for reading and fills status from the fd itself. The file's type is looked
 * at before it is opened, so that a FIFO's writer is not woken nor a device touched.
 * The fd or negative errno; -EISDIR, -ENOTBLK (not regular, not a directory). */
int path_open_regular(const struct tool_call *call, const char *real, struct stat *ret_status);

/* True when path is the workspace or inside it. */
bool path_in_workspace(const struct tool_call *call, const char *path);

/* "directory", "FIFO", "socket", ... */
const char *path_type_name(mode_t mode);

/* Lexical: no "." "..", no double slashes. Heap; NULL: no memory. path must be absolute. */
char *path_normalise(const char *path);

/* The part after the last slash. */
const char *path_base(const char *path);
