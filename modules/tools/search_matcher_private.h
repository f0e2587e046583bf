/* SPDX-License-Identifier: MIT
 *
 * The matcher's parts: how it is made of an expression (search_matcher.c), and how it goes through
 * a buffer (search_scan.c).
 */
#pragma once

#include "tools/search_literal.h"
#include "tools/search_matcher.h"
#include "tools/search_pattern.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum mode {
    MODE_LITERAL,  /* fixed text: no expression is needed */
    MODE_REQUIRED, /* lines that have one of some texts are matched alone */
    MODE_BUFFER,   /* the whole buffer at once */
    MODE_LINES,    /* each line alone */
    MODE_MULTI,    /* matches may have newlines in them */
};

struct matcher {
    enum mode mode;
    struct pattern pattern;
    struct literal literal;
    struct literal required[PATTERN_LITERALS_MAX];
    char *text; /* the expression that is compiled */
    size_t text_length;
    uint32_t options;
    pcre2_code *ascii;    /* NULL: the expression is not the same without UTF-8 */
    pthread_mutex_t lock; /* the first thread that meets other text than ASCII compiles it */
    _Atomic(pcre2_code *) unicode;
};

struct matcher_scratch {
    const char *data;
    size_t length;
    size_t
        next[PATTERN_LITERALS_MAX]; /* the next place of each required text, from the last look */
    size_t looked_from;
    int is_ascii; /* of the whole buffer; -1: not looked at */
    bool (*stopped)(void *user);
    void *user;
    pcre2_match_data *match;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
};

/* The code for text that is not all ASCII. NULL: no memory. */
const pcre2_code *matcher_unicode_code(struct matcher *matcher);
