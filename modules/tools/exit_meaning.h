/* SPDX-License-Identifier: MIT
 *
 * What an exit code other than 0 means for commands that use one to say something normal.
 */
#pragma once

#include <stddef.h>

/* A sentence for the last command of a shell command line, or NULL. buffer holds texts that are
 * made for the occasion. */
const char *exit_meaning(const char *command, int exit_code, char *buffer, size_t size);
