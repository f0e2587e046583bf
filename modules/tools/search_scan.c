/* SPDX-License-Identifier: MIT
 *
 * From the start of a line to the next lines that match, in one of five ways. Whatever the way, no
 * single call of PCRE2 takes long: its limits bound backtracking, and long texts are tried some
 * places at a time.
 */
#include "tools/search_matcher_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MATCH_LIMIT     2000000
#define DEPTH_LIMIT     100000
#define HEAP_LIMIT_KIB  20000
#define SHORT_TEXT      32768
#define STEPS_AT_ONCE   ((size_t)1 << 28) /* a tenth of a second or two */
#define JIT_STACK_FIRST (32u * 1024u)
#define JIT_STACK_MAX   (1024u * 1024u)

struct matcher_scratch *matcher_scratch_free(struct matcher_scratch *scratch)
{
    if (scratch != NULL) {
        pcre2_match_data_free(scratch->match);
        pcre2_match_context_free(scratch->context);
        pcre2_jit_stack_free(scratch->stack);
        free(scratch);
    }
    return NULL;
}

/* PCRE2 asks for a stack when it needs one: few expressions do. */
static pcre2_jit_stack *scratch_stack(void *user)
{
    struct matcher_scratch *scratch = user;

    if (scratch->stack == NULL) {
        scratch->stack = pcre2_jit_stack_create(JIT_STACK_FIRST, JIT_STACK_MAX, NULL);
    }
    return scratch->stack;
}

struct matcher_scratch *matcher_scratch_new(bool (*stopped)(void *user), void *user)
{
    struct matcher_scratch *scratch = calloc(1, sizeof(*scratch));

    if (scratch == NULL) {
        return NULL;
    }
    scratch->stopped = stopped;
    scratch->user = user;
    scratch->match = pcre2_match_data_create(1, NULL);
    scratch->context = pcre2_match_context_create(NULL);
    if (scratch->match == NULL || scratch->context == NULL) {
        return matcher_scratch_free(scratch);
    }
    pcre2_set_match_limit(scratch->context, MATCH_LIMIT);
    pcre2_set_depth_limit(scratch->context, DEPTH_LIMIT);
    pcre2_set_heap_limit(scratch->context, HEAP_LIMIT_KIB);
    pcre2_jit_stack_assign(scratch->context, scratch_stack, scratch);
    return scratch;
}

void matcher_begin(struct matcher_scratch *scratch, const char *data, size_t length)
{
    scratch->data = data;
    scratch->length = length;
    scratch->is_ascii = -1;
    scratch->looked_from = LITERAL_NONE;
}

static bool is_ascii(const char *data, size_t length)
{
    uint64_t word = 0, bits = 0;
    size_t i = 0;

    for (; i + 8 <= length; i += 8) {
        memcpy(&word, data + i, 8);
        bits |= word;
    }
    for (; i < length; i++) {
        bits |= (uint64_t)(unsigned char)data[i];
    }
    return (bits & 0x8080808080808080u) == 0;
}

static bool buffer_is_ascii(struct matcher_scratch *scratch)
{
    if (scratch->is_ascii < 0) {
        scratch->is_ascii = is_ascii(scratch->data, scratch->length);
    }
    return scratch->is_ascii > 0;
}

/* How many places of a text a match is tried at in one go. Each may cost as much as the text is
 * long, and nobody can stop PCRE2 on its way. */
static size_t places_at_once(size_t length)
{
    size_t places = STEPS_AT_ONCE / (length + 1);

    return length <= SHORT_TEXT ? length + 1 : places < 16 ? 16 : places;
}

/* The next place behind `last` where a character begins. */
static size_t next_place(const char *subject, size_t length, size_t last)
{
    do {
        last++;
    } while (last < length && ((unsigned char)subject[last] & 0xc0) == 0x80);
    return last;
}

/* 1: found, in the scratch's vector; 0; -ELOOP; -ENOMEM; -ECANCELED. */
static int match(struct matcher *matcher, struct matcher_scratch *scratch, const char *subject,
                 size_t length, size_t from, bool ascii)
{
    const pcre2_code *code =
        ascii && matcher->ascii != NULL ? matcher->ascii : matcher_unicode_code(matcher);
    size_t places = places_at_once(length);
    int r = PCRE2_ERROR_NOMATCH;

    if (code == NULL) {
        return -ENOMEM;
    }
    while (from <= length && r == PCRE2_ERROR_NOMATCH) {
        size_t last = length - from < places ? length : from + places - 1;
        if (places <= length && scratch->stopped != NULL && scratch->stopped(scratch->user)) {
            return -ECANCELED;
        }
        pcre2_set_offset_limit(scratch->context, last);
        r = pcre2_match(code, (PCRE2_SPTR)subject, length, from, 0, scratch->match,
                        scratch->context);
        from = next_place(subject, length, last);
    }
    if (r >= 0) {
        return 1;
    }
    return r == PCRE2_ERROR_NOMATCH    ? 0
           : r == PCRE2_ERROR_NOMEMORY ? -ENOMEM
                                       : -ELOOP; /* a limit, or a stack that is too small */
}

static size_t line_start(const struct matcher_scratch *scratch, size_t from, size_t at)
{
    const char *newline = at > from ? memrchr(scratch->data + from, '\n', at - from) : NULL;

    return newline != NULL ? (size_t)(newline - scratch->data) + 1 : from;
}

static size_t line_end(const struct matcher_scratch *scratch, size_t at)
{
    const char *newline = memchr(scratch->data + at, '\n', scratch->length - at);

    return newline != NULL ? (size_t)(newline - scratch->data) : scratch->length;
}

/* One line alone. */
static int match_line(struct matcher *matcher, struct matcher_scratch *scratch,
                      const struct matcher_span *line)
{
    const char *text = scratch->data + line->start;
    size_t length = line->end - line->start;

    if (length > 0 && text[length - 1] == '\r' && !matcher->pattern.has_cr) {
        length--;
    }
    return match(matcher, scratch, text, length, 0, is_ascii(text, length));
}

/* The first of the required texts at or after from. */
static size_t required_find(const struct matcher *matcher, struct matcher_scratch *scratch,
                            size_t from)
{
    size_t first = LITERAL_NONE;
    bool fresh = scratch->looked_from == LITERAL_NONE;

    for (size_t i = 0; i < matcher->pattern.required.count; i++) {
        if (fresh || scratch->next[i] < from) {
            scratch->next[i] =
                literal_find(&matcher->required[i], scratch->data, scratch->length, from);
        }
        first = scratch->next[i] < first ? scratch->next[i] : first;
    }
    scratch->looked_from = from;
    return first;
}

static int next_literal(const struct matcher *matcher, struct matcher_scratch *scratch, size_t from,
                        struct matcher_span *ret_span)
{
    size_t at = literal_find(&matcher->literal, scratch->data, scratch->length, from);

    if (at == LITERAL_NONE) {
        return 0;
    }
    *ret_span = (struct matcher_span){line_start(scratch, from, at), line_end(scratch, at)};
    return 1;
}

static int next_required(struct matcher *matcher, struct matcher_scratch *scratch, size_t from,
                         struct matcher_span *ret_span)
{
    while (from < scratch->length) {
        size_t at = required_find(matcher, scratch, from);
        int r = 0;
        if (at == LITERAL_NONE) {
            return 0;
        }
        *ret_span = (struct matcher_span){line_start(scratch, from, at), line_end(scratch, at)};
        r = match_line(matcher, scratch, ret_span);
        if (r != 0) {
            return r;
        }
        from = ret_span->end + 1;
    }
    return 0;
}

static int next_line(struct matcher *matcher, struct matcher_scratch *scratch, size_t from,
                     struct matcher_span *ret_span)
{
    while (from < scratch->length) {
        int r = 0;
        *ret_span = (struct matcher_span){from, line_end(scratch, from)};
        r = match_line(matcher, scratch, ret_span);
        if (r != 0) {
            return r;
        }
        from = ret_span->end + 1;
    }
    return 0;
}

/* Behind the last newline there is no line. */
static bool is_behind(const struct matcher_scratch *scratch, size_t at)
{
    return at >= scratch->length && (at == 0 || scratch->data[at - 1] == '\n');
}

/* A match in the whole buffer shows the line; when it goes on behind the line's end the line has to
 * match alone. No line before it can: then the match would have begun there. */
static int next_buffer(struct matcher *matcher, struct matcher_scratch *scratch, size_t from,
                       struct matcher_span *ret_span)
{
    bool ascii = buffer_is_ascii(scratch);

    while (from < scratch->length) {
        const PCRE2_SIZE *found = pcre2_get_ovector_pointer(scratch->match);
        int r = match(matcher, scratch, scratch->data, scratch->length, from, ascii);
        if (r == -ELOOP) { /* whose line it is nobody tells: each alone */
            return next_line(matcher, scratch, from, ret_span);
        }
        if (r <= 0 || is_behind(scratch, found[0])) {
            return r < 0 ? r : 0;
        }
        *ret_span =
            (struct matcher_span){line_start(scratch, from, found[0]), line_end(scratch, found[0])};
        if (found[1] <= ret_span->end) {
            return 1;
        }
        r = match_line(matcher, scratch, ret_span);
        if (r != 0) {
            return r;
        }
        from = ret_span->end + 1;
    }
    return 0;
}

static int next_multi(struct matcher *matcher, struct matcher_scratch *scratch, size_t from,
                      struct matcher_span *ret_span)
{
    const PCRE2_SIZE *found = pcre2_get_ovector_pointer(scratch->match);
    size_t last = 0;
    int r = 0;

    if (matcher->pattern.required.count > 0 &&
        required_find(matcher, scratch, from) == LITERAL_NONE) {
        return 0;
    }
    r = match(matcher, scratch, scratch->data, scratch->length, from, buffer_is_ascii(scratch));
    if (r == -ELOOP) {
        *ret_span = (struct matcher_span){from, scratch->length};
        return r;
    }
    if (r <= 0 || is_behind(scratch, found[0])) {
        return r < 0 ? r : 0;
    }
    /* The newline that ends a match belongs to its last line. */
    last = found[1] > found[0] && scratch->data[found[1] - 1] == '\n' ? found[1] - 1 : found[1];
    *ret_span = (struct matcher_span){line_start(scratch, from, found[0]), line_end(scratch, last)};
    return 1;
}

int matcher_next(struct matcher *matcher, struct matcher_scratch *scratch, size_t from,
                 struct matcher_span *ret_span)
{
    if (from >= scratch->length) {
        return 0;
    }
    switch (matcher->mode) {
    case MODE_LITERAL:
        return next_literal(matcher, scratch, from, ret_span);
    case MODE_REQUIRED:
        return next_required(matcher, scratch, from, ret_span);
    case MODE_LINES:
        return next_line(matcher, scratch, from, ret_span);
    case MODE_BUFFER:
        return next_buffer(matcher, scratch, from, ret_span);
    default:
        return next_multi(matcher, scratch, from, ret_span);
    }
}
