/* SPDX-License-Identifier: MIT
 *
 * Names that the file tools refuse with a readable sentence. This is help, not a boundary: the
 * kernel's wall around the run is what holds (terminal and the script's own open() see it too).
 */
#pragma once

#include "tools/tools.h"

/* Rules for path_resolve: devices and /proc files that block, never end or hold secrets, and
 * credential files by name. */
const char *path_rule_read(const struct tools_config *config, const char *path);

/* System paths, keys and credentials in home directories. */
const char *path_rule_write(const struct tools_config *config, const char *path);

/* The write roots of the configuration. Judged on the real name alone: a link from outside that
 * ends inside is fine, one that leaves is not. */
const char *path_rule_roots(const struct tools_config *config, const char *path);

/* For working directories: nothing is refused by name. */
#define PATH_RULE_NONE NULL
