/* SPDX-License-Identifier: MIT
 *
 * See bytes.h.
 */
#include "base/bytes.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

json_t *bytes_to_json(const char *text)
{
    _cleanup_buf_ struct buf out = BUF_INIT(0);
    size_t length = strlen(text), at = 0;
    int r = 0;

    while (r == 0 && at < length) {
        int n = utf8_sequence((const unsigned char *)text + at, length - at);

        if (n >= 1 && text[at] != '%') {
            r = buf_append(&out, text + at, (size_t)n);
            at += (size_t)n;
        } else {
            r = buf_append_format(&out, "%%%02X", (unsigned char)text[at]);
            at++;
        }
    }
    return r < 0 ? NULL : json_stringn_nocheck(out.data ? (char *)out.data : "", out.length);
}

static int hex_value(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char *bytes_from_json(const json_t *json)
{
    const char *text = json_string_value(json);
    size_t length = json_string_length(json), out = 0;
    char *bytes;

    if (!text || strlen(text) != length || !(bytes = malloc(length + 1)))
        return NULL;
    for (size_t i = 0; i < length; i++) {
        int high, low;

        if (text[i] != '%') {
            bytes[out++] = text[i];
            continue;
        }
        high = i + 2 < length ? hex_value(text[i + 1]) : -1;
        low = high >= 0 ? hex_value(text[i + 2]) : -1;
        if (low < 0 || (high == 0 && low == 0)) {
            free(bytes);
            return NULL;
        }
        bytes[out++] = (char)(high * 16 + low);
        i += 2;
    }
    bytes[out] = '\0';
    return bytes;
}
