/* SPDX-License-Identifier: MIT
 *
 * Of the texts that must be there, the one is kept that is the quickest to look for.
 */
#include "tools/search_branch.h"

#include "tools/search_literal.h"

#include <string.h>

static size_t shortest(const struct pattern_literals *set)
{
    size_t least = set->count > 0 ? PATTERN_LITERAL_BYTES_MAX : 0;

    for (size_t i = 0; i < set->count; i++) {
        least = set->items[i].length < least ? set->items[i].length : least;
    }
    return least;
}

/* The rarest byte of the first item: what the search for it will look for. */
static unsigned char rarity(const char *bytes, size_t length)
{
    unsigned char least = 255;

    for (size_t i = 0; i < length; i++) {
        unsigned char rank = literal_rank(bytes[i]);
        least = rank < least ? rank : least;
    }
    return least;
}

void branch_consider(struct branch *branch, const struct pattern_literals *set)
{
    size_t length = shortest(set);

    if (length > branch->best_length ||
        (length == branch->best_length && length > 0 && set->count < branch->best.count)) {
        branch->best = *set;
        branch->best_length = length;
    }
}

void branch_flush(struct branch *branch)
{
    struct pattern_literals one = {.count = 1};

    if (branch->run_length > branch->best_length ||
        (branch->run_length > 0 && branch->run_length == branch->best_length &&
         (branch->best.count > 1 || rarity(branch->run, branch->run_length) <
                                        rarity(branch->best.items[0].bytes, branch->run_length)))) {
        one.items[0].length = branch->run_length;
        memcpy(one.items[0].bytes, branch->run, branch->run_length);
        branch->best = one;
        branch->best_length = branch->run_length;
    }
    branch->run_length = 0;
}

/* Ignoring case, s and k also match two characters outside of ASCII (U+017F, U+212A), and what is
 * not ASCII has rules of its own: none of them is claimed. */
static bool has_case_twins(const struct atom *atom)
{
    return atom->length > 1 || strchr("sSkK", atom->bytes[0]) != NULL;
}

void branch_append(struct branch *branch, const struct atom *atom, bool ignores_case)
{
    if (ignores_case && has_case_twins(atom)) {
        branch_flush(branch);
        return;
    }
    if (branch->run_length + atom->length > sizeof(branch->run)) {
        branch_flush(branch);
    }
    for (size_t i = 0; i < atom->length; i++) {
        char c = atom->bytes[i];
        c = ignores_case && c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
        branch->run[branch->run_length++] = c;
    }
}
