/* SPDX-License-Identifier: MIT
 *
 * gitignore: the rules of one file, and the chain of them from a directory up to the top of its
 * repository. The last rule of the deepest file that says anything decides. Names are relative to
 * where the file lies; a directory that is ignored is not entered, so that nothing below it can
 * be taken back in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ignore_rules;

enum ignore_verdict {
    IGNORE_SILENT, /* no rule says anything */
    IGNORE_DROP,
    IGNORE_KEEP, /* a rule with '!' */
};

/* Never fails on text; NULL: no memory. */
struct ignore_rules *ignore_rules_parse(const char *text, size_t length);
struct ignore_rules *ignore_rules_free(struct ignore_rules *rules); /* returns NULL */

/* path: relative to the directory of the file that has the rules, without a slash at its ends. */
enum ignore_verdict ignore_rules_match(const struct ignore_rules *rules, const char *path,
                                       bool is_directory);

/* One directory that has rules. Levels are shared by the threads of a walk and never change after
 * they were made. */
struct ignore_level;

/* Takes rules and a reference of parent (may be NULL). base: the length of the directory's
 * absolute name with its slash. NULL: no memory (both are given back). */
struct ignore_level *ignore_level_new(struct ignore_level *parent, struct ignore_rules *rules,
                                      size_t base);
struct ignore_level *ignore_level_ref(struct ignore_level *level);
struct ignore_level *ignore_level_unref(struct ignore_level *level); /* returns NULL */

/* absolute: the name of an entry somewhere below the level's directory. */
bool ignore_level_drops(const struct ignore_level *level, const char *absolute, bool is_directory);
