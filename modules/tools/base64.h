/* SPDX-License-Identifier: MIT
 *
 * Base64 (RFC 4648, with padding), appended to a buffer in pieces.
 */
#pragma once

#include "base/buf.h"

/* length must be a multiple of 3 for every piece but the last. 0 or what buf_append returned. */
int base64_append(struct buf *buf, const unsigned char *data, size_t length);
