/* SPDX-License-Identifier: MIT
 *
 * The matcher remembers only the last `*` and the last `**`: an earlier star never needs to be
 * tried again, because the later one can take whatever the earlier would have given up. So it is
 * iterative and cannot run away on hostile patterns.
 */
#include "tools/glob.h"

#include "base/buf.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALTERNATIVES_MAX 256

static int fold(int c, unsigned flags)
{
    return (flags & GLOB_ICASE) && c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static bool class_has(const char *name, size_t length, int c)
{
    static const struct {
        const char *name;
        int (*test)(int);
    } classes[] = {
        {"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
        {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
        {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
    };

    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (strlen(classes[i].name) == length && memcmp(classes[i].name, name, length) == 0) {
            return c < 128 && classes[i].test(c);
        }
    }
    return false;
}

/* One end of a range, unescaped. False at the end of the pattern. */
static bool bracket_char(const unsigned char **at, int *ret_char)
{
    if (**at == '\\') {
        (*at)++;
    }
    if (**at == '\0') {
        return false;
    }
    *ret_char = *(*at)++;
    return true;
}

/* A member of the bracket: a class, a range or one character. False: malformed. */
static bool bracket_member(const unsigned char **at, int c, unsigned flags, bool *matched)
{
    int low = 0, high = 0;

    if ((*at)[0] == '[' && (*at)[1] == ':') {
        const char *name = (const char *)*at + 2;
        const char *end = strstr(name, ":]");
        if (end != NULL && memchr(name, ']', (size_t)(end - name)) == NULL) {
            bool has = class_has(name, (size_t)(end - name), c);
            if (!has && (flags & GLOB_ICASE) && isalpha(c) && c < 128) {
                has = class_has(name, (size_t)(end - name), c ^ 32);
            }
            *matched |= has;
            *at = (const unsigned char *)end + 2;
            return true;
        }
    }
    if (!bracket_char(at, &low)) {
        return false;
    }
    high = low;
    if ((*at)[0] == '-' && (*at)[1] != ']' && (*at)[1] != '\0') {
        (*at)++;
        if (!bracket_char(at, &high)) {
            return false;
        }
    }
    *matched |= c >= low && c <= high;
    if ((flags & GLOB_ICASE) && c < 128 && isalpha(c)) {
        *matched |= (c ^ 32) >= low && (c ^ 32) <= high;
    }
    return true;
}

/* pattern stands behind '['. 1: c is in it, 0: it is not, -1: the bracket is malformed. */
static int bracket_match(const char **pattern, int c, unsigned flags)
{
    const unsigned char *at = (const unsigned char *)*pattern;
    bool negated = *at == '!' || *at == '^';
    bool matched = false, first = true;

    at += negated;
    while (*at != ']' || first) {
        first = false;
        if (*at == '\0' || !bracket_member(&at, c, flags, &matched)) {
            return -1;
        }
    }
    *pattern = (const char *)at + 1;
    return matched != negated && c != '/';
}

/* One element of the pattern that is not a star against the text. Both move on success. */
static bool element_match(const char **pattern, const char **text, unsigned flags)
{
    const char *p = *pattern;
    int c = (unsigned char)**text;

    if (*p == '[') {
        p++;
        if (c == '\0' || bracket_match(&p, c, flags) <= 0) {
            return false;
        }
        (*text)++;
    } else if (*p == '?') {
        if (c == '\0' || c == '/') {
            return false;
        }
        do {
            (*text)++;
        } while ((flags & GLOB_CHARS) && ((unsigned char)**text & 0xc0) == 0x80);
        p++;
    } else {
        p += *p == '\\';
        if (*p == '\0' || fold((unsigned char)*p, flags) != fold(c, flags)) {
            return false;
        }
        (*text)++;
        p++;
    }
    *pattern = p;
    return true;
}

struct stars {
    const char *star, *star_text; /* the pattern behind the last '*', the text it was tried at */
    const char *deep, *deep_text; /* the same of the last "**" + slash */
};

/* Goes back to the last star that can still take more. */
static bool stars_retry(struct stars *stars, const char **pattern, const char **text)
{
    if (stars->star != NULL && *stars->star_text != '/' && *stars->star_text != '\0') {
        *pattern = stars->star;
        *text = ++stars->star_text;
        return true;
    }
    stars->star = NULL;
    if (stars->deep == NULL || (stars->deep_text = strchr(stars->deep_text, '/')) == NULL) {
        return false;
    }
    *pattern = stars->deep;
    *text = ++stars->deep_text;
    return true;
}

/* Stands at a '*'. True: the rest of the text is matched, whatever it is. */
static bool stars_enter(struct stars *stars, const char *start, const char **pattern,
                        const char *text)
{
    const char *first = *pattern;
    const char *rest = first + strspn(first, "*");
    bool deep = rest - first >= 2 && (first == start || first[-1] == '/');

    *pattern = rest;
    if (deep && *rest == '\0') {
        return true;
    }
    if (deep && *rest == '/') {
        *pattern = rest + 1;
        *stars = (struct stars){.deep = rest + 1, .deep_text = text};
    } else {
        stars->star = rest;
        stars->star_text = text;
    }
    return false;
}

bool glob_match(const char *pattern, const char *text, unsigned flags)
{
    struct stars stars = {0};
    const char *start = pattern;

    for (;;) {
        if (*pattern == '*') {
            if (stars_enter(&stars, start, &pattern, text)) {
                return true;
            }
            continue;
        }
        if (*pattern == '\0' && *text == '\0') {
            return true;
        }
        if (*pattern != '\0' && element_match(&pattern, &text, flags)) {
            continue;
        }
        if (!stars_retry(&stars, &pattern, &text)) {
            return false;
        }
    }
}

bool glob_has_wildcard(const char *pattern)
{
    return pattern[strcspn(pattern, "*?[\\")] != '\0';
}

void glob_set_deinit(struct glob_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        free(set->patterns[i]);
    }
    free(set->patterns);
    *set = (struct glob_set){0};
}

/* What is left of the braces comes back as text; consumes nothing. -E2BIG, -ENOMEM. */
static int set_add(struct glob_set *set, const char *text)
{
    char **grown = NULL;

    if (set->count >= ALTERNATIVES_MAX) {
        return -E2BIG;
    }
    grown = realloc(set->patterns, (set->count + 1) * sizeof(*grown));
    if (grown == NULL) {
        return -ENOMEM;
    }
    set->patterns = grown;
    grown[set->count] = strdup(text);
    return grown[set->count] != NULL ? (set->count++, 0) : -ENOMEM;
}

/* The first '{' that has its '}' and a comma between, outside of brackets; NULL: none. */
static const char *brace_find(const char *text, const char **ret_end)
{
    for (const char *open = text; *open != '\0'; open++) {
        int depth = 0;
        bool comma = false;
        if (*open == '\\' && open[1] != '\0') {
            open++;
            continue;
        }
        if (*open != '{') {
            continue;
        }
        for (const char *at = open; *at != '\0'; at++) {
            if (*at == '\\' && at[1] != '\0') {
                at++;
                continue;
            }
            depth += (*at == '{') - (*at == '}');
            comma |= *at == ',' && depth == 1;
            if (depth == 0 && comma) {
                *ret_end = at;
                return open;
            }
            if (depth == 0) {
                break;
            }
        }
    }
    return NULL;
}

/* Depth is bounded by the number of alternatives: each level adds a factor of at least two or
 * removes a brace. */
static int set_expand(struct glob_set *set, const char *text, int level)
{
    const char *end = NULL;
    const char *open = brace_find(text, &end);
    const char *from = NULL;
    int depth = 0, r = 0;

    if (open == NULL) {
        return set_add(set, text);
    }
    if (level > 32) {
        return -E2BIG;
    }
    from = open + 1;
    for (const char *at = from; r == 0 && at <= end; at++) {
        if (*at == '\\' && at < end) {
            at++;
        } else if (at == end || (*at == ',' && depth == 0)) {
            _cleanup_free_ char *one =
                str_format("%.*s%.*s%s", (int)(open - text), text, (int)(at - from), from, end + 1);
            r = one != NULL ? set_expand(set, one, level + 1) : -ENOMEM;
            from = at + 1;
        } else {
            depth += (*at == '{') - (*at == '}');
        }
    }
    return r;
}

/* `name` -> `*name*`, `a/name` -> `a/` + `*name*`. */
static char *substring_pattern(const char *text)
{
    const char *slash = strrchr(text, '/');
    size_t head = slash != NULL ? (size_t)(slash - text) + 1 : 0;

    return text[head] == '\0' ? str_format("%s**", text)
                              : str_format("%.*s*%s*", (int)head, text, text + head);
}

/* A pattern with a slash may begin anywhere in the path unless it begins with a slash. */
static int set_anchor(struct glob_set *set, bool substring)
{
    for (size_t i = 0; i < set->count; i++) {
        char **pattern = &set->patterns[i];
        char *whole = NULL;
        if (substring && !glob_has_wildcard(*pattern)) {
            whole = substring_pattern(*pattern);
            if (whole == NULL) {
                return -ENOMEM;
            }
            free(*pattern);
            *pattern = whole;
        }
        if (!set->whole_path) {
            continue;
        }
        whole = **pattern == '/' ? strdup(*pattern + 1) : str_format("**/%s", *pattern);
        if (whole == NULL) {
            return -ENOMEM;
        }
        free(*pattern);
        *pattern = whole;
    }
    return 0;
}

int glob_set_init(struct glob_set *set, const char *text, bool substring, unsigned flags)
{
    int r = 0;

    *set = (struct glob_set){.flags = flags | GLOB_CHARS};
    if (!substring && *text == '!') {
        set->negated = true;
        text++;
    }
    if (str_starts_with(text, "./")) {
        text++;
    }
    set->whole_path = strchr(text, '/') != NULL;
    r = set_expand(set, text, 0);
    if (r == 0) {
        r = set_anchor(set, substring);
    }
    if (r < 0) {
        glob_set_deinit(set);
    }
    return r;
}

bool glob_set_match(const struct glob_set *set, const char *path, const char *name)
{
    for (size_t i = 0; i < set->count; i++) {
        if (glob_match(set->patterns[i], set->whole_path ? path : name, set->flags)) {
            return !set->negated;
        }
    }
    return set->negated;
}
