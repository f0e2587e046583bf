/* SPDX-License-Identifier: MIT
 *
 * Edit distance with swaps of neighbours, case and '-' against '_' ignored.
 */
#include "cli/nearest.h"

#include <ctype.h>
#include <string.h>

#define NAME_MAX_LENGTH 63

static int folded(char c)
{
    return c == '_' ? '-' : tolower((unsigned char)c);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][NAME_MAX_LENGTH + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];

    for (size_t j = 0; j <= b_length; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            int a_now = folded(a[i - 1]), b_now = folded(b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a_now != b_now));
            if (i > 1 && j > 1 && a_now == folded(b[j - 2]) && folded(a[i - 2]) == b_now)
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_length];
}

void nearest_init(struct nearest *nearest, const char *wanted)
{
    size_t length = strlen(wanted);

    nearest->wanted = wanted;
    nearest->best = NULL;
    nearest->distance = (length < 3 ? 3 : length) / 3 + 1;
}

void nearest_offer(struct nearest *nearest, const char *name)
{
    size_t wanted_length = strlen(nearest->wanted), name_length = strlen(name);

    if (wanted_length > NAME_MAX_LENGTH || name_length > NAME_MAX_LENGTH)
        return;
    size_t d = distance(nearest->wanted, wanted_length, name, name_length);
    if (d >= nearest->distance)
        return;
    nearest->distance = d;
    nearest->best = name;
}
