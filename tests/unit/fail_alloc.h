/* SPDX-License-Identifier: MIT
 *
 * Allocations that fail at a chosen call, for tests of survival. The program needs
 * ptc_fail_alloc(NAME) in its .cmake list; jansson is led through the same functions.
 */
#pragma once

#include <stdbool.h>

/* The allocation number n (from 0) counted from now on fails, once. */
void fail_alloc_at(int n);

/* Ends it; true when an allocation was made to fail. */
bool fail_alloc_stop(void);

/* Runs `code` with allocation 0, 1, 2, ... failing until it needs no more of them. */
#define FAIL_EACH_ALLOC(code)                                                                      \
    do {                                                                                           \
        bool fired_;                                                                               \
        int n_ = 0;                                                                                \
        do {                                                                                       \
            fail_alloc_at(n_++);                                                                   \
            code;                                                                                  \
            fired_ = fail_alloc_stop();                                                            \
        } while (fired_);                                                                          \
    } while (0)
