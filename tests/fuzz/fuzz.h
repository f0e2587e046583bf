/* SPDX-License-Identifier: MIT
 *
 * What every fuzz target shares. A target states properties, not only "does not crash".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not assert: it must hold in NDEBUG builds too. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* A copy of exactly this size on the heap, so that a sanitizer sees one byte too many. */
static inline void *exact_copy(const void *data, size_t size)
{
    void *copy = malloc(size ? size : 1);
    CHECK(copy);
    if (size)
        memcpy(copy, data, size);
    return copy;
}
