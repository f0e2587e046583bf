/* SPDX-License-Identifier: MIT
 *
 * Byte strings inside JSON. Paths, arguments and environment variables are bytes on Linux and need
 * not be UTF-8, JSON strings must: bytes that are no UTF-8, and '%', travel as %XX.
 */
#pragma once

#include "base/json.h"

json_t *bytes_to_json(const char *text); /* new string, NULL: no memory */

/* The bytes, malloc'd and NUL-terminated; NULL when json is no string, holds a NUL or a bad %XX, or
 * when there is no memory. */
char *bytes_from_json(const json_t *json);
