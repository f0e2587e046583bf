/* SPDX-License-Identifier: MIT
 *
 * Two bytes of the literal that are rare in ordinary text are compared at 16 places at once; only
 * where both fit is the whole compared. On text that is several times as fast as memmem, which
 * remains for the ends of buffers and for other processors.
 */
#include "tools/search_literal.h"

#include "tools/search_rank.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

unsigned char literal_rank(char byte)
{
    return byte_rank[(unsigned char)byte];
}

struct literal literal_make(const char *bytes, size_t length, bool ignores_case)
{
    struct literal literal = {.bytes = bytes, .length = length, .ignores_case = ignores_case};
    size_t looked_at = length < 255 ? length : 255;
    size_t first = 0, second = length > 1 ? 1 : 0;

    for (size_t i = 1; i < looked_at; i++) {
        unsigned char rank = byte_rank[(unsigned char)bytes[i]];
        if (rank < byte_rank[(unsigned char)bytes[first]]) {
            second = first;
            first = i;
        } else if (i != first &&
                   (second == first || rank < byte_rank[(unsigned char)bytes[second]])) {
            second = i;
        }
    }
    literal.rare[0] = first < second ? first : second;
    literal.rare[1] = first < second ? second : first;
    return literal;
}

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool equals(const struct literal *literal, const char *text)
{
    if (!literal->ignores_case) {
        return memcmp(text, literal->bytes, literal->length) == 0;
    }
    for (size_t i = 0; i < literal->length; i++) {
        char c = literal->bytes[i];
        if (text[i] != c && !(is_letter(c) && (text[i] | 0x20) == c)) {
            return false;
        }
    }
    return true;
}

static size_t find_plain(const struct literal *literal, const char *data, size_t length,
                         size_t from)
{
    const char *found = NULL;

    if (!literal->ignores_case) {
        found = from < length ? memmem(data + from, length - from, literal->bytes, literal->length)
                              : NULL;
        return found != NULL ? (size_t)(found - data) : LITERAL_NONE;
    }
    for (; from + literal->length <= length; from++) {
        if (equals(literal, data + from)) {
            return from;
        }
    }
    return LITERAL_NONE;
}

#ifdef __SSE2__
/* One of the two bytes: what to compare with, and the bit that upper and lower case differ in. */
struct rare_byte {
    __m128i value, ignored;
};

static struct rare_byte rare_byte(const struct literal *literal, size_t offset)
{
    char byte = literal->bytes[offset];

    return (struct rare_byte){_mm_set1_epi8(byte), literal->ignores_case && is_letter(byte)
                                                       ? _mm_set1_epi8(0x20)
                                                       : _mm_setzero_si128()};
}

static __m128i byte_hits(const char *data, const struct rare_byte *byte)
{
    return _mm_cmpeq_epi8(_mm_or_si128(_mm_loadu_si128((const __m128i *)data), byte->ignored),
                          byte->value);
}

static unsigned pair_mask(const char *a, const char *b, const struct rare_byte bytes[2])
{
    __m128i hits = _mm_and_si128(byte_hits(a, &bytes[0]), byte_hits(b, &bytes[1]));

    return (unsigned)_mm_movemask_epi8(hits);
}

/* The first place of the mask where the whole literal stands. */
static size_t mask_verify(const struct literal *literal, const char *data, size_t at, unsigned mask)
{
    for (; mask != 0; mask &= mask - 1) {
        size_t place = at + (size_t)__builtin_ctz(mask);
        if (equals(literal, data + place)) {
            return place;
        }
    }
    return LITERAL_NONE;
}

size_t literal_find(const struct literal *literal, const char *data, size_t length, size_t from)
{
    const struct rare_byte bytes[2] = {rare_byte(literal, literal->rare[0]),
                                       rare_byte(literal, literal->rare[1])};
    const char *a = data + literal->rare[0], *b = data + literal->rare[1];
    size_t at = from;

    /* 32 places at a time, all of them with room for the whole literal. */
    for (; at + 32 + literal->length <= length; at += 32) {
        unsigned mask =
            pair_mask(a + at, b + at, bytes) | pair_mask(a + at + 16, b + at + 16, bytes) << 16;
        size_t found = mask != 0 ? mask_verify(literal, data, at, mask) : LITERAL_NONE;
        if (found != LITERAL_NONE) {
            return found;
        }
    }
    return find_plain(literal, data, length, at);
}
#else
size_t literal_find(const struct literal *literal, const char *data, size_t length, size_t from)
{
    return find_plain(literal, data, length, from);
}
#endif
