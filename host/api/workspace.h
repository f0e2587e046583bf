/* SPDX-License-Identifier: MIT
 *
 * Which folder a run works in. A folder that was named may be any directory; the current directory
 * is taken without a word only when it is not / and does not hold the user's home.
 */
#pragma once

struct err;

/* explicit_path: the workspace option, or NULL. cwd and home are what the caller found (home may be
 * NULL). On success *ret_path is a real path that the caller frees. Negative errno: -EINVAL when
 * the default is refused (the text says what to type) or the named one is not a directory, -ENOENT.
 */
int workspace_choose(const char *explicit_path, const char *cwd, const char *home, char **ret_path,
                     struct err *err);

/* The same with this process's own cwd and $HOME (the password file's when that is not set). */
int workspace_choose_here(const char *explicit_path, char **ret_path, struct err *err);
