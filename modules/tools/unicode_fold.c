/* SPDX-License-Identifier: MIT
 *
 * Folding for the comparison of file names. Names that macOS made are decomposed, names that people
 * type are composed; screenshots have narrow no-break blanks, documents have curly apostrophes.
 */
#include "tools/unicode_fold.h"

#include "base/utf8.h"
#include "tools/unicode_pairs.h"

#include <stdlib.h>
#include <string.h>

#define EXPANSION_MAX                                                                              \
    9 /* bytes a character of one byte or more may become: three of three bytes                    \
       */

static uint32_t decode(const unsigned char *text, int length)
{
    static const unsigned char mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = text[0] & mask[length];

    for (int i = 1; i < length; i++) {
        code = code << 6 | (text[i] & 0x3f);
    }
    return code;
}

static char *encode(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

static int pair_compare(const void *key, const void *entry)
{
    return (int)*(const uint32_t *)key - (int)((const struct unicode_pair *)entry)->composed;
}

/* Hangul syllables decompose by arithmetic (Unicode chapter 3.12). */
static char *encode_hangul(char *out, uint32_t code)
{
    uint32_t index = code - 0xac00;

    out = encode(out, 0x1100 + index / 588);
    out = encode(out, 0x1161 + index % 588 / 28);
    return index % 28 != 0 ? encode(out, 0x11a7 + index % 28) : out;
}

static char *encode_decomposed(char *out, uint32_t code)
{
    const struct unicode_pair *pair = NULL;

    if (code >= 0xac00 && code < 0xac00 + 11172) {
        return encode_hangul(out, code);
    }
    pair = bsearch(&code, unicode_pairs, sizeof(unicode_pairs) / sizeof(unicode_pairs[0]),
                   sizeof(unicode_pairs[0]), pair_compare);
    if (pair == NULL) {
        return encode(out, code);
    }
    return encode(encode_decomposed(out, pair->base), pair->mark);
}

static uint32_t plain_form(uint32_t code)
{
    switch (code) {
    case 0x00a0: /* no-break blank */
    case 0x202f: /* narrow no-break blank */
        return ' ';
    case 0x2018: /* curly apostrophes */
    case 0x2019:
        return '\'';
    default:
        return code;
    }
}

char *unicode_fold(const char *text)
{
    size_t length = strlen(text);
    const unsigned char *in = (const unsigned char *)text, *end = in + length;
    char *folded = malloc(length * EXPANSION_MAX + 1);
    char *out = folded;

    while (folded != NULL && in < end) {
        int sequence = utf8_sequence(in, (size_t)(end - in));
        if (sequence < 1 || sequence == 4) { /* nothing above U+FFFF is folded */
            int n = sequence == 4 ? 4 : 1;
            memcpy(out, in, (size_t)n);
            out += n;
            in += n;
            continue;
        }
        out = encode_decomposed(out, plain_form(decode(in, sequence)));
        in += sequence;
    }
    if (folded != NULL) {
        *out = '\0';
    }
    return folded;
}
