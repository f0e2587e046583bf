/* SPDX-License-Identifier: MIT
 *
 * Replaces a file as a whole or not at all. The new text is written to an unnamed file where the
 * file system can (then nothing is left behind even by SIGKILL), else to a temporary name.
 */
#pragma once

#include <stddef.h>
#include <sys/stat.h>

/* Writes data as directory_fd's entry `base`. `old` is what the entry is now (a regular file whose
 * mode, owner and extended attributes the new one takes) or NULL for a new one: 0666 & ~umask.
 * 0 or negative errno; nothing is left behind on failure. */
int atomic_file_write(int directory_fd, const char *base, const struct stat *old, int old_fd,
                      const void *data, size_t length);
