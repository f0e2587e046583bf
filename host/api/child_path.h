/* SPDX-License-Identifier: MIT
 *
 * Where ptc-child is: given, beside the build, or where it was installed.
 */
#pragma once

struct err;

/* malloc'd path, or NULL (err names the places). given may be NULL. */
char *child_path_find(const char *given, struct err *err);
