/* SPDX-License-Identifier: MIT
 *
 * Is it text, and in which encoding: judged on the first bytes of a file.
 */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define ENCODING_SAMPLE_BYTES 1000

enum encoding {
    ENCODING_BINARY,
    ENCODING_UTF8,
    ENCODING_UTF8_BOM,
    ENCODING_UTF16_LE,
    ENCODING_UTF16_BE,
    ENCODING_8BIT, /* text in a legacy encoding that cannot be told: shown with U+FFFD */
};

/* whole: the sample is the whole file, so a character cut at its end is an error. */
enum encoding encoding_detect(const unsigned char *sample, size_t length, bool whole);

/* Python's codec names: "utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "unknown-8bit", "binary".
 */
const char *encoding_name(enum encoding encoding);

/* Appends UTF-16 bytes as UTF-8, without the byte order mark; lone surrogates become U+FFFD.
 * 0 or what buf_append returned. */
int encoding_append_utf16(struct buf *buf, const unsigned char *data, size_t length,
                          bool big_endian);
