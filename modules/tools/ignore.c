/* SPDX-License-Identifier: MIT
 *
 * Parsing of gitignore files and the decision on one name. Compared with `git check-ignore` over
 * random trees by the tests.
 */
#include "tools/ignore.h"

#include "tools/glob.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum rule_kind {
    RULE_GLOB,
    RULE_LITERAL, /* no wildcard: a comparison decides */
    RULE_SUFFIX,  /* `*` and then literal text, no slash: most rules are one of these two */
};

struct rule {
    const char *pattern;
    size_t length;
    enum rule_kind kind;
    bool negated, directory_only;
    bool anchored; /* has a slash: compared with the whole path, not with the name */
};

struct ignore_rules {
    char *text;
    struct rule *rules;
    size_t count;
};

/* Blanks at the end do not count unless a backslash protects them. */
static size_t trim_blanks(const char *line, size_t length)
{
    size_t keep = 0;

    for (size_t i = 0; i < length; i++) {
        if (line[i] == '\\' && i + 1 < length) {
            i++;
            keep = i + 1;
        } else if (line[i] != ' ') {
            keep = i + 1;
        }
    }
    return keep;
}

static void rule_classify(struct rule *rule)
{
    if (!glob_has_wildcard(rule->pattern)) {
        rule->kind = RULE_LITERAL;
    } else if (!rule->anchored && rule->pattern[0] == '*' &&
               !glob_has_wildcard(rule->pattern + 1)) {
        rule->kind = RULE_SUFFIX;
        rule->pattern++;
        rule->length--;
    }
}

/* line is NUL-terminated at length. False: it has no rule. */
static bool rule_parse(struct rule *rule, char *line, size_t length)
{
    if (length > 0 && line[length - 1] == '\r') {
        length--;
    }
    if (length == 0 || line[0] == '#') {
        return false;
    }
    length = trim_blanks(line, length);
    *rule = (struct rule){.negated = line[0] == '!'};
    line += rule->negated;
    length -= length > 0 ? rule->negated : 0;
    if (length > 0 && line[length - 1] == '/') {
        rule->directory_only = true;
        length--;
    }
    line[length] = '\0';
    rule->anchored = strchr(line, '/') != NULL;
    if (line[0] == '/') {
        line++;
        length--;
    }
    rule->pattern = line;
    rule->length = length;
    rule_classify(rule);
    return length > 0;
}

struct ignore_rules *ignore_rules_free(struct ignore_rules *rules)
{
    if (rules != NULL) {
        free(rules->text);
        free(rules->rules);
        free(rules);
    }
    return NULL;
}

static size_t count_lines(const char *text, size_t length)
{
    size_t lines = 1;

    for (const char *at = text; (at = memchr(at, '\n', length - (size_t)(at - text))); at++) {
        lines++;
    }
    return lines;
}

struct ignore_rules *ignore_rules_parse(const char *text, size_t length)
{
    struct ignore_rules *rules = calloc(1, sizeof(*rules));
    char *line = NULL, *end = NULL;

    if (rules == NULL || (rules->text = malloc(length + 1)) == NULL ||
        (rules->rules = calloc(count_lines(text, length), sizeof(*rules->rules))) == NULL) {
        return ignore_rules_free(rules);
    }
    memcpy(rules->text, text, length);
    rules->text[length] = '\0';
    line = rules->text;
    end = line + length;
    line += length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (line < end) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop != NULL ? stop : end;
        *stop = '\0';
        /* A NUL byte inside ends the line, as it does for git. */
        rules->count += rule_parse(&rules->rules[rules->count], line, strlen(line));
        line = stop + 1;
    }
    return rules;
}

static bool rule_matches(const struct rule *rule, const char *path, const char *name)
{
    const char *text = rule->anchored ? path : name;
    size_t length = 0;

    switch (rule->kind) {
    case RULE_LITERAL:
        return strcmp(rule->pattern, text) == 0;
    case RULE_SUFFIX:
        length = strlen(text);
        return length >= rule->length &&
               memcmp(text + length - rule->length, rule->pattern, rule->length) == 0;
    default:
        return glob_match(rule->pattern, text, 0);
    }
}

enum ignore_verdict ignore_rules_match(const struct ignore_rules *rules, const char *path,
                                       bool is_directory)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    for (size_t i = rules->count; i-- > 0;) {
        const struct rule *rule = &rules->rules[i];
        if ((is_directory || !rule->directory_only) && rule_matches(rule, path, name)) {
            return rule->negated ? IGNORE_KEEP : IGNORE_DROP;
        }
    }
    return IGNORE_SILENT;
}

struct ignore_level {
    atomic_uint refs;
    struct ignore_level *parent;
    struct ignore_rules *rules;
    size_t base;
};

struct ignore_level *ignore_level_new(struct ignore_level *parent, struct ignore_rules *rules,
                                      size_t base)
{
    struct ignore_level *level = calloc(1, sizeof(*level));

    if (level == NULL) {
        ignore_level_unref(parent);
        ignore_rules_free(rules);
        return NULL;
    }
    level->refs = 1;
    level->parent = parent;
    level->rules = rules;
    level->base = base;
    return level;
}

struct ignore_level *ignore_level_ref(struct ignore_level *level)
{
    if (level != NULL) {
        atomic_fetch_add(&level->refs, 1);
    }
    return level;
}

struct ignore_level *ignore_level_unref(struct ignore_level *level)
{
    while (level != NULL && atomic_fetch_sub(&level->refs, 1) == 1) {
        struct ignore_level *parent = level->parent;
        ignore_rules_free(level->rules);
        free(level);
        level = parent;
    }
    return NULL;
}

bool ignore_level_drops(const struct ignore_level *level, const char *absolute, bool is_directory)
{
    for (; level != NULL; level = level->parent) {
        enum ignore_verdict verdict =
            ignore_rules_match(level->rules, absolute + level->base, is_directory);
        if (verdict != IGNORE_SILENT) {
            return verdict == IGNORE_DROP;
        }
    }
    return false;
}
