/* SPDX-License-Identifier: MIT
 *
 * Structs that callers pass in begin with their size, so that programs and library may be of
 * different versions.
 */
#pragma once

#include <stddef.h>

struct err;

/* Copies given (of any version) over ret_known, which holds the defaults: an older caller's struct is
 * shorter, a newer one's longer, which is fine as long as what this library does not know is zero.
 * name is the struct's, for messages. 0 or -EINVAL. */
int struct_size_read(void *ret_known, size_t known_size, const void *given, const char *name,
                     struct err *err);
