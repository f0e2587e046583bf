/* SPDX-License-Identifier: MIT
 *
 * Collecting, atom by atom, the texts that every match of one branch of an expression must have in
 * it. Part of search_pattern.
 */
#pragma once

#include "tools/search_pattern.h"

/* The literal text that is being collected in a branch, and the best of those that are complete. */
struct branch {
    struct pattern_literals best;
    size_t best_length;
    unsigned char run_length;
    char run[PATTERN_LITERAL_BYTES_MAX];
};

enum atom_kind {
    ATOM_CHAR,  /* the bytes of one character */
    ATOM_EMPTY, /* an anchor: matches no bytes */
    ATOM_GROUP, /* literals says what must be in it */
    ATOM_OTHER,
};

struct atom {
    enum atom_kind kind;
    char bytes[4];
    size_t length;
    struct pattern_literals literals;
};

/* Takes set when it is better than the best: longer texts find fewer lines. */
void branch_consider(struct branch *branch, const struct pattern_literals *set);

/* What follows does not stand directly behind what was collected. */
void branch_flush(struct branch *branch);

/* One more character. */
void branch_append(struct branch *branch, const struct atom *atom, bool ignores_case);
