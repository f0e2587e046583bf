/* SPDX-License-Identifier: MIT
 *
 * Finding fixed bytes in large buffers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define LITERAL_NONE ((size_t)-1)

struct literal {
    const char *bytes; /* borrowed */
    size_t length;     /* at least 1 */
    size_t rare[2];    /* offsets of its two least common bytes, ascending */
    bool ignores_case; /* of ASCII letters; bytes are in lower case then */
};

struct literal literal_make(const char *bytes, size_t length, bool ignores_case);

/* How common a byte is in ordinary text, 255 the commonest. */
unsigned char literal_rank(char byte);

/* The first place at or after from, or LITERAL_NONE. */
size_t literal_find(const struct literal *literal, const char *data, size_t length, size_t from);
