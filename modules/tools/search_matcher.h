/* SPDX-License-Identifier: MIT
 *
 * Finds the lines of a buffer that match. A line is what stands between newlines; whatever the
 * expression, it sees one line at a time, unless a newline is written in it. How that is done
 * quickly (fixed text, texts that must be there, the whole buffer at once) is the matcher's own
 * business.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct err;
struct matcher;
struct matcher_scratch;

enum {
    MATCHER_ICASE = 1 << 0,
    MATCHER_FIXED = 1 << 1, /* the pattern is plain text */
};

#define MATCHER_PATTERN_BYTES_MAX 65536

/* -EINVAL with the reason and the place in err; -E2BIG: too long or too large; -ENOMEM. */
int matcher_new(struct matcher **ret_matcher, const char *pattern, size_t length, unsigned flags,
                struct err *err);
struct matcher *matcher_free(struct matcher *matcher); /* returns NULL */

bool matcher_is_multi_line(const struct matcher *matcher);

/* What one thread needs. stopped (may be NULL) is asked now and then during long work. NULL: no
 * memory. */
struct matcher_scratch *matcher_scratch_new(bool (*stopped)(void *user), void *user);
struct matcher_scratch *matcher_scratch_free(struct matcher_scratch *scratch); /* returns NULL */

/* The lines of a match, without the newline of the last one. */
struct matcher_span {
    size_t start, end;
};

/* A new buffer. The text must stay as it is while it is searched. */
void matcher_begin(struct matcher_scratch *scratch, const char *data, size_t length);

/* The next lines that match, from the start of a line on. 1: found; 0: there is none; -ELOOP: the
 * expression needs too much backtracking for the line in ret_span; -ENOMEM; -ECANCELED: stopped.
 * The search goes on at ret_span->end + 1. */
int matcher_next(struct matcher *matcher, struct matcher_scratch *scratch, size_t from,
                 struct matcher_span *ret_span);
