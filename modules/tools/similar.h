/* SPDX-License-Identifier: MIT
 *
 * Names in a directory that a person may have meant: similar ones to suggest, and the one that is
 * the same but for how Unicode spells it.
 */
#pragma once

#include "base/json.h"

/* Ratcliff-Obershelp ratio, 2 * matches / total, as Python's SequenceMatcher gives it. 0.0 to 1.0.
 */
double similar_ratio(const char *a, size_t a_length, const char *b, size_t b_length);

/* 0 (nothing in common) to 100 (the same but for case). */
int similar_score(const char *wanted, const char *candidate);

/* Up to five paths of directory's entries (spelled shown_prefix + name), best first, as an array;
 * NULL when there are none. directory_fd is borrowed. */
json_t *similar_files(int directory_fd, const char *shown_prefix, const char *wanted);

/* The single entry whose folded name equals the folded `wanted`: malloc'd, or NULL. */
char *similar_unicode_twin(int directory_fd, const char *wanted);
