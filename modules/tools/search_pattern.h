/* SPDX-License-Identifier: MIT
 *
 * What can be told of a regular expression from its text alone, without understanding all of it:
 * is it a plain text, does it want to match across lines, which texts must be in every line that
 * matches. Where it is unsure it says so and the search takes the slower, certain way.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PATTERN_LITERALS_MAX      8
#define PATTERN_LITERAL_BYTES_MAX 48

struct pattern_literals {
    size_t count; /* 0: nothing is known */
    struct {
        unsigned char length;
        char bytes[PATTERN_LITERAL_BYTES_MAX];
    } items[PATTERN_LITERALS_MAX];
};

struct pattern {
    char *literal; /* the pattern is this text and nothing else; NULL: it is more */
    size_t literal_length;
    bool multi_line; /* a newline is written in it, outside of a negated class */
    bool each_line;  /* has parts that see where the text ends: every line is to be matched alone */
    bool wants_crlf; /* has a '$': it is to stand before a CR LF too */
    bool has_cr;     /* speaks of carriage returns itself */
    bool is_ascii;
    bool ignores_case; /* asked for, or it begins with (?i): then required is in lower case */
    char *rewritten;   /* the same pattern, with negated classes that do not match a newline */
    size_t rewritten_length;
    struct pattern_literals required; /* every match has one of these in it */
};

/* Without memory less is known of it. */
void pattern_init(struct pattern *pattern, const char *text, size_t length, bool ignores_case);
void pattern_deinit(struct pattern *pattern);

/* The pattern that matches text itself; heap. NULL: no memory. */
char *pattern_quote(const char *text, size_t length, size_t *ret_length);

/* True when text as a pattern means something else than itself. */
bool pattern_has_syntax(const char *text, size_t length);
