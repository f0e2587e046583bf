/* SPDX-License-Identifier: MIT
 *
 * Text helpers: formatting, comparison, nearest names.
 */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES_MAX 64 /* longer names are not names that somebody mistyped */

char *str_format(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int rc = vasprintf(&text, format, args);
    va_end(args);
    return rc < 0 ? NULL : text;
}

bool str_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool str_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* ASCII only and without the locale: the embedder's setlocale must not change an answer. */
static char folded(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

static size_t fold(const char *text, char out[NAME_BYTES_MAX])
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length && i < NAME_BYTES_MAX; i++)
        out[i] = folded(text[i]);
    return length;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: insertions, deletions, substitutions, swaps of neighbours. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][NAME_BYTES_MAX + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = smaller(replaced, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        size_t *recycled = before;
        before = above;
        above = row;
        row = recycled;
    }
    return above[b_length];
}

const char *str_nearest(const char *name, const char *const *candidates, size_t count)
{
    char wanted[NAME_BYTES_MAX], other[NAME_BYTES_MAX];
    size_t length = fold(name, wanted);
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (size_t i = 0; i < count && length <= NAME_BYTES_MAX; i++) {
        size_t other_length = candidates[i] ? fold(candidates[i], other) : SIZE_MAX;
        if (other_length > NAME_BYTES_MAX)
            continue;
        size_t found = distance(wanted, length, other, other_length);
        size_t allowed = (length > other_length ? length : other_length) / 3;
        if (found <= allowed && found < best_distance) {
            best = candidates[i];
            best_distance = found;
        }
    }
    return best;
}
