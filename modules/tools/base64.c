/* SPDX-License-Identifier: MIT
 *
 * Base64 encoding for read_file(encoding="base64").
 */
#include "tools/base64.h"

#include <stdint.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_append(struct buf *buf, const unsigned char *data, size_t length)
{
    int r = buf_reserve(buf, (length + 2) / 3 * 4);

    for (size_t i = 0; r == 0 && i < length; i += 3) {
        size_t have = length - i;
        uint32_t bits = (uint32_t)data[i] << 16 | (have > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                        (have > 2 ? data[i + 2] : 0);
        char out[4] = {
            alphabet[bits >> 18],
            alphabet[bits >> 12 & 63],
            have > 1 ? alphabet[bits >> 6 & 63] : '=',
            have > 2 ? alphabet[bits & 63] : '=',
        };
        r = buf_append(buf, out, sizeof(out));
    }
    return r;
}
