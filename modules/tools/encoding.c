/* SPDX-License-Identifier: MIT
 *
 * Text detection. Valid UTF-8 without a NUL is always text, whatever the script it is written in;
 * a character that the sample's end cuts is forgiven (else CJK files count as binary by chance).
 */
#include "tools/encoding.h"

#include "base/utf8.h"
#include "tools/filetype.h"

#include <stdint.h>
#include <string.h>

#define UTF16_SAMPLE_BYTES 512

/* Without a mark: ASCII text in UTF-16 has zeros at odd positions only (LE) or even ones only (BE).
 */
static enum encoding detect_utf16_zeros(const unsigned char *sample, size_t length)
{
    size_t even = 0, odd = 0;

    for (size_t i = 0; i < length && i < UTF16_SAMPLE_BYTES; i++) {
        if (sample[i] == 0) {
            *(i % 2 == 0 ? &even : &odd) += 1;
        }
    }
    if (odd >= 2 && even == 0) {
        return ENCODING_UTF16_LE;
    }
    return even >= 2 && odd == 0 ? ENCODING_UTF16_BE : ENCODING_BINARY;
}

static enum encoding detect_with_zeros(const unsigned char *sample, size_t length)
{
    /* Tables of small numbers in a binary format look like UTF-16 too: a magic number decides. */
    if (filetype_from_magic(sample, length) != NULL) {
        return ENCODING_BINARY;
    }
    return detect_utf16_zeros(sample, length);
}

static bool valid_so_far(const unsigned char *sample, size_t length, bool whole)
{
    for (size_t i = 0; i < length;) {
        int sequence = utf8_sequence(sample + i, length - i);
        if (sequence < 0) {
            return !whole;
        }
        if (sequence == 0) {
            return false;
        }
        i += (size_t)sequence;
    }
    return true;
}

/* Text in any legacy encoding is all but free of control characters; compressed or encrypted bytes
 * have more than one in ten. */
static bool looks_like_legacy_text(const unsigned char *sample, size_t length)
{
    size_t controls = 0;

    for (size_t i = 0; i < length; i++) {
        unsigned char c = sample[i];
        controls += c == 0x7f || (c < 0x20 && strchr("\t\n\r\f\b\033", c) == NULL);
    }
    return controls * 50 <= length && filetype_from_magic(sample, length) == NULL;
}

enum encoding encoding_detect(const unsigned char *sample, size_t length, bool whole)
{
    if (length >= 2 && sample[0] == 0xff && sample[1] == 0xfe) {
        return ENCODING_UTF16_LE;
    }
    if (length >= 2 && sample[0] == 0xfe && sample[1] == 0xff) {
        return ENCODING_UTF16_BE;
    }
    if (memchr(sample, 0, length) != NULL) {
        return detect_with_zeros(sample, length);
    }
    if (valid_so_far(sample, length, whole)) {
        return length >= 3 && memcmp(sample, "\xef\xbb\xbf", 3) == 0 ? ENCODING_UTF8_BOM
                                                                     : ENCODING_UTF8;
    }
    return looks_like_legacy_text(sample, length) ? ENCODING_8BIT : ENCODING_BINARY;
}

const char *encoding_name(enum encoding encoding)
{
    switch (encoding) {
    case ENCODING_UTF8:
        return "utf-8";
    case ENCODING_UTF8_BOM:
        return "utf-8-sig";
    case ENCODING_UTF16_LE:
        return "utf-16-le";
    case ENCODING_UTF16_BE:
        return "utf-16-be";
    case ENCODING_8BIT:
        return "unknown-8bit";
    default:
        return "binary";
    }
}

static int append_code_point(struct buf *buf, uint32_t code)
{
    unsigned char bytes[4];
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};

    for (size_t i = length - 1; i > 0; i--) {
        bytes[i] = (unsigned char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    bytes[0] = (unsigned char)(first[length] | code);
    return buf_append(buf, bytes, length);
}

int encoding_append_utf16(struct buf *buf, const unsigned char *data, size_t length,
                          bool big_endian)
{
    int r = buf_reserve(buf, length + length / 2);

    for (size_t i = 0; r == 0 && i < length; i += 2) {
        uint32_t code = 0xfffd; /* also for an odd last byte */
        if (i + 1 < length) {
            code = (uint32_t)(big_endian ? data[i] << 8 | data[i + 1] : data[i + 1] << 8 | data[i]);
        }
        if (i == 0 && code == 0xfeff) {
            continue;
        }
        if (code >= 0xd800 && code < 0xdc00 && i + 3 < length) {
            uint32_t low = (uint32_t)(big_endian ? data[i + 2] << 8 | data[i + 3]
                                                 : data[i + 3] << 8 | data[i + 2]);
            if (low >= 0xdc00 && low < 0xe000) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                i += 2;
            }
        }
        r = append_code_point(buf, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    }
    return r;
}
