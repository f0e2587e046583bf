/* SPDX-License-Identifier: MIT
 *
 * "Did you mean": the known name that a mistyped one is closest to. The library has the same for its own
 * names (base/str); the program sees only the public header, so it has its own.
 */
#pragma once

#include <stddef.h>

struct nearest {
    const char *wanted;
    const char *best; /* NULL: nothing is close enough */
    size_t distance;  /* of best; before that, the first distance that is too far */
};

void nearest_init(struct nearest *nearest, const char *wanted);
void nearest_offer(struct nearest *nearest, const char *name);
