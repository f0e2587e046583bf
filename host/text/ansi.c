/* SPDX-License-Identifier: MIT
 *
 * Finds terminal escape sequences by their ECMA-48 grammar and closes the gaps they leave. Strings
 * (OSC, DCS, ...) may be unterminated: then only their introducer goes. A search for a terminator
 * that came back empty is remembered, so that a text full of introducers still takes linear time.
 */
#include "text/ansi.h"

#include <stdbool.h>
#include <string.h>

#define ESC     0x1b
#define BEL     0x07
#define C1_LEAD 0xc2 /* first UTF-8 byte of U+0080..U+00BF; U+0080..U+009F are the C1 controls */
#define C1_CSI  0x9b
#define C1_ST   0x9c
#define C1_OSC  0x9d

enum string_kind { STRING_OSC, STRING_DCS, STRING_C1_OSC, STRING_KINDS };

struct scan {
    const unsigned char *text;
    size_t length;
    bool unterminated[STRING_KINDS]; /* no terminator of this kind follows */
};

static bool in_range(const struct scan *scan, size_t at, unsigned char low, unsigned char high)
{
    return at < scan->length && scan->text[at] >= low && scan->text[at] <= high;
}

/* Parameters 30-3F, intermediates 20-2F, final 40-7E; returns the end, or 0 when it is no CSI. */
static size_t csi_end(const struct scan *scan, size_t at)
{
    while (in_range(scan, at, 0x30, 0x3f))
        at++;
    while (in_range(scan, at, 0x20, 0x2f))
        at++;
    return in_range(scan, at, 0x40, 0x7e) ? at + 1 : 0;
}

/* The end of the terminator that begins at `at`, or 0. */
static size_t terminator_end(const struct scan *scan, size_t at, enum string_kind kind)
{
    unsigned char c = scan->text[at];

    if (c == BEL && kind != STRING_DCS)
        return at + 1;
    if (c == ESC && kind != STRING_C1_OSC && in_range(scan, at + 1, '\\', '\\'))
        return at + 2;
    if (c == C1_LEAD && kind == STRING_C1_OSC && in_range(scan, at + 1, C1_ST, C1_ST))
        return at + 2;
    return 0;
}

/* The end of a string with its terminator, or 0 when there is none. */
static size_t string_end(struct scan *scan, size_t at, enum string_kind kind)
{
    if (scan->unterminated[kind])
        return 0;
    for (; at < scan->length; at++) {
        size_t end = terminator_end(scan, at, kind);
        if (end > 0)
            return end;
    }
    scan->unterminated[kind] = true;
    return 0;
}

/* nF: one or more intermediates and a final 30-7E. `at` is the first intermediate. */
static size_t nf_end(const struct scan *scan, size_t at)
{
    while (in_range(scan, at, 0x20, 0x2f))
        at++;
    return in_range(scan, at, 0x30, 0x7e) ? at + 1 : 0;
}

/* How many bytes belong to the sequence that the ESC at `at` begins; 0 for a bare ESC. */
static size_t escape_length(struct scan *scan, size_t at)
{
    size_t end = 0;

    if (at + 1 >= scan->length)
        return 0;
    switch (scan->text[at + 1]) {
    case '[':
        end = csi_end(scan, at + 2);
        break;
    case ']':
        end = string_end(scan, at + 2, STRING_OSC);
        break;
    case 'P':
    case 'X':
    case '^':
    case '_':
        end = string_end(scan, at + 2, STRING_DCS);
        break;
    default:
        if (in_range(scan, at + 1, 0x20, 0x2f))
            end = nf_end(scan, at + 1);
    }
    if (end > 0)
        return end - at;
    return in_range(scan, at + 1, 0x30, 0x7e) ? 2 : 0;
}

/* The same for the C1 control whose two UTF-8 bytes begin at `at`; 0 for other characters. */
static size_t c1_length(struct scan *scan, size_t at)
{
    size_t end = 0;

    if (!in_range(scan, at + 1, 0x80, 0x9f))
        return 0;
    if (scan->text[at + 1] == C1_CSI)
        end = csi_end(scan, at + 2);
    else if (scan->text[at + 1] == C1_OSC)
        end = string_end(scan, at + 2, STRING_C1_OSC);
    return end > 0 ? end - at : 2;
}

static size_t sequence_length(struct scan *scan, size_t at)
{
    if (scan->text[at] == ESC)
        return escape_length(scan, at);
    if (scan->text[at] == C1_LEAD)
        return c1_length(scan, at);
    return 0;
}

/* Reading stays ahead of writing, and a search never looks behind the reader: in place is safe. */
static size_t text_squeeze(char *text, size_t length)
{
    struct scan scan = {.text = (const unsigned char *)text, .length = length};
    size_t written = 0;

    for (size_t at = 0; at < length;) {
        size_t skip = sequence_length(&scan, at);
        if (skip > 0)
            at += skip;
        else
            text[written++] = text[at++];
    }
    return written;
}

size_t ansi_strip(char *text, size_t length)
{
    if (length == 0 || (!memchr(text, ESC, length) && !memchr(text, C1_LEAD, length)))
        return length;
    return text_squeeze(text, length);
}
