/* SPDX-License-Identifier: MIT
 *
 * Shell patterns for paths: `*` and `?` stop at a slash, `**` as a whole part of a path does not,
 * `[...]` with ranges, negation and POSIX classes, backslash escapes. The rules are those of
 * gitignore; braces `{a,b}` exist in sets only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
    GLOB_ICASE = 1 << 0, /* ASCII letters only */
    GLOB_CHARS = 1 << 1, /* `?` takes a whole UTF-8 character, not a byte */
};

/* Both are NUL-terminated. A malformed pattern matches nothing. Time is bounded by the product of
 * the lengths squared, memory is constant. */
bool glob_match(const char *pattern, const char *text, unsigned flags);

/* True when there is anything in it that is not literal text. */
bool glob_has_wildcard(const char *pattern);

/* What a person writes to choose files: `*.py`, `{a,b}*`, `!*.min.js`.
 * Without a slash it is compared with the name, else with the end of the path; a leading slash
 * anchors it at the root of the search. */
struct glob_set {
    char **patterns;
    size_t count;
    bool negated;
    bool whole_path; /* the patterns have a slash in them */
    unsigned flags;
};

/* substring: text without a wildcard means every name with it inside. -E2BIG: too many
 * alternatives in braces; -ENOMEM. */
int glob_set_init(struct glob_set *set, const char *text, bool substring, unsigned flags);
void glob_set_deinit(struct glob_set *set);

/* path is relative to the root of the search, name is its last part. */
bool glob_set_match(const struct glob_set *set, const char *path, const char *name);
