/* SPDX-License-Identifier: MIT
 *
 * The gutter heuristic. Tables with numbered rows look the same, so it only ever warns.
 */
#include "tools/display_text.h"

#include <string.h>

/* The number before the bar; 0 when the line has no gutter. */
static unsigned long gutter_number(const char *line, size_t length)
{
    unsigned long number = 0;
    size_t i = 0;

    for (; i < length && i < 9 && line[i] >= '0' && line[i] <= '9'; i++) {
        number = number * 10 + (unsigned long)(line[i] - '0');
    }
    return i > 0 && i < length && line[i] == '|' ? number : 0;
}

bool display_text_has_gutter(const char *text, size_t length)
{
    const char *end = text + length;
    size_t lines = 0, numbered = 0;
    unsigned long previous = 0;

    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((newline != NULL ? newline : end) - text);
        unsigned long number = gutter_number(text, n);
        lines += n > 0;
        if (number > 0) {
            if (previous != 0 && number != previous + 1) {
                return false;
            }
            previous = number;
            numbered++;
        }
        text += n + 1;
    }
    return lines >= 2 && numbered >= 2 && numbered * 10 >= lines * 6;
}
