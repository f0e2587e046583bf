/* SPDX-License-Identifier: MIT
 *
 * The working folder of a named session: private, kept, never found through a symlink.
 */
#pragma once

struct err;

/* base: where such folders are, or NULL for the user's state directory. name: letters, digits, '-',
 * '_' and '.', not at the start '.', at most 64. *ret_path is a real path that the caller frees. 0 or
 * negative errno. */
int session_dir_open(const char *base, const char *name, char **ret_path, struct err *err);
