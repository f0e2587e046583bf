/* SPDX-License-Identifier: MIT
 *
 * The place a file is to be written to: its directory as an fd, and what is there now.
 */
#pragma once

#include "tools/path.h"

#include "base/fd.h"

struct err;

struct write_target {
    struct path path;
    int old_fd; /* the file that is there now, open for reading; -1: none */
    struct stat old;
    bool old_bom, old_crlf, old_utf16; /* seen in its first 4096 bytes */
};

#define WRITE_TARGET_INIT                                                                          \
    {                                                                                              \
        .old_fd = -1                                                                               \
    }

/* Resolves text, applies the rules, looks at what is there. Creates nothing. 0 or negative errno
 * with a sentence in err. */
int write_target_open(const struct tool_call *call, const char *text, struct write_target *target,
                      struct err *err);

/* Opens the directory of the target, making the missing ones (0777 & ~umask).
 * The O_PATH fd or negative errno. */
int write_target_directory(const struct tool_call *call, const struct write_target *target,
                           bool *ret_created);

static inline void write_target_cleanup(struct write_target *target)
{
    fd_close(target->old_fd);
    free(target->path.real);
}
#define _cleanup_write_target_ __attribute__((cleanup(write_target_cleanup)))
