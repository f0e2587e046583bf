/* SPDX-License-Identifier: MIT
 *
 * UTF-8 by the table of well-formed sequences (Unicode 15, table 3-7). Runs of ASCII are skipped
 * eight bytes at a time, since that is what nearly all text is.
 */
#include "base/utf8.h"

#include "base/buf.h"

#include <stdint.h>
#include <string.h>

#define REPLACEMENT       "\xef\xbf\xbd" /* U+FFFD */
#define REPLACEMENT_BYTES 3

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

static size_t ascii_run(const unsigned char *data, size_t length)
{
    size_t n = 0;
    for (uint64_t word; length - n >= sizeof(word); n += sizeof(word)) {
        memcpy(&word, data + n, sizeof(word));
        if (word & 0x8080808080808080ull)
            break;
    }
    while (n < length && data[n] < 0x80)
        n++;
    return n;
}

/* Bytes that a sequence with this first byte has (0: no sequence begins so), and the range of its
 * second byte, which is where overlong forms, surrogates and > U+10FFFF show. */
static int lead_length(unsigned char lead, unsigned char *ret_low, unsigned char *ret_high)
{
    *ret_low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    *ret_high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

int utf8_sequence(const unsigned char *data, size_t length)
{
    unsigned char low, high;
    if (length == 0)
        return -1;
    int expected = lead_length(data[0], &low, &high);
    for (int i = 1; i < expected; i++) {
        if ((size_t)i == length)
            return -1;
        if (i == 1 ? data[i] < low || data[i] > high : !is_continuation(data[i]))
            return 0;
    }
    return expected;
}

/* Bytes at data that form whole valid sequences. */
static size_t valid_run(const unsigned char *data, size_t length)
{
    size_t n = 0;
    while (n < length) {
        n += ascii_run(data + n, length - n);
        int sequence = n < length ? utf8_sequence(data + n, length - n) : 0;
        if (sequence <= 0)
            break;
        n += (size_t)sequence;
    }
    return n;
}

bool utf8_valid(const void *data, size_t length)
{
    return valid_run(data, length) == length;
}

size_t utf8_floor(const void *data, size_t length)
{
    const unsigned char *bytes = data;
    for (size_t back = 1; back <= 3 && back <= length; back++) {
        if (is_continuation(bytes[length - back]))
            continue;
        return utf8_sequence(bytes + length - back, back) == -1 ? length - back : length;
    }
    return length;
}

size_t utf8_skip_continuation(const void *data, size_t length)
{
    const unsigned char *bytes = data;
    size_t n = 0;
    while (n < 3 && n < length && is_continuation(bytes[n]))
        n++;
    return n;
}

/* Length of the maximal subpart of an ill-formed sequence at data: all of it that could have begun
 * a valid one, at least one byte. length > 0. */
static size_t invalid_subpart(const unsigned char *data, size_t length)
{
    for (size_t n = length < 3 ? length : 3; n > 1; n--) {
        if (utf8_sequence(data, n) == -1)
            return n;
    }
    return 1;
}

int utf8_append_replaced(struct buf *buf, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    for (size_t n = 0; n < length;) {
        size_t run = valid_run(bytes + n, length - n);
        int rc = buf_append(buf, bytes + n, run);
        if (rc < 0)
            return rc;
        n += run;
        if (n == length)
            break;
        rc = buf_append(buf, REPLACEMENT, REPLACEMENT_BYTES);
        if (rc < 0)
            return rc;
        n += invalid_subpart(bytes + n, length - n);
    }
    return 0;
}

size_t utf8_copy_replaced(char *out, size_t size, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    size_t written = 0;
    for (size_t n = 0; n < length;) {
        int sequence = utf8_sequence(bytes + n, length - n);
        const void *from = sequence > 0 ? (const void *)(bytes + n) : REPLACEMENT;
        size_t bytes_out = sequence > 0 ? (size_t)sequence : REPLACEMENT_BYTES;
        if (bytes_out >= size - written)
            break;
        memcpy(out + written, from, bytes_out);
        written += bytes_out;
        n += sequence > 0 ? (size_t)sequence : invalid_subpart(bytes + n, length - n);
    }
    out[written] = '\0';
    return written;
}
