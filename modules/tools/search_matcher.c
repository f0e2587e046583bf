/* SPDX-License-Identifier: MIT
 *
 * PCRE2 with its JIT compiler where the system lets it make code, with limits in any case. Text
 * that is all ASCII is matched by a version of the expression that knows nothing of UTF-8 and
 * Unicode, which is several times as fast and gives the same answer.
 */
#include "tools/search_matcher_private.h"

#include "base/err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RANK_RARE 232

static int compile_error(struct err *err, int code, size_t offset)
{
    char reason[256] = "";

    pcre2_get_error_message(code, (PCRE2_UCHAR *)reason, sizeof(reason));
    return err_set(
        err, code == PCRE2_ERROR_NOMEMORY || code == PCRE2_ERROR_HEAP_FAILED ? -ENOMEM : -EINVAL,
        "%s at position %zu", reason, offset);
}

static pcre2_code *compile(const char *text, size_t length, uint32_t options, bool crlf,
                           struct err *err)
{
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_code *code = NULL;
    PCRE2_SIZE offset = 0;
    int error = PCRE2_ERROR_NOMEMORY;

    if (context != NULL) {
        pcre2_set_newline(context, crlf ? PCRE2_NEWLINE_ANYCRLF : PCRE2_NEWLINE_LF);
        code = pcre2_compile((PCRE2_SPTR)text, length, options, &error, &offset, context);
        pcre2_compile_context_free(context);
    }
    if (code == NULL) {
        compile_error(err, error, offset);
    }
    return code;
}

#define UNICODE_OPTIONS (PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF)

/* Where the system refuses memory that can be run, the interpreter of PCRE2 matches. */
static void compile_jit(pcre2_code *code)
{
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
}

/* The code for text that is not all ASCII. NULL: no memory. */
const pcre2_code *matcher_unicode_code(struct matcher *matcher)
{
    pcre2_code *code = atomic_load(&matcher->unicode);

    if (code != NULL) {
        return code;
    }
    pthread_mutex_lock(&matcher->lock);
    code = atomic_load(&matcher->unicode);
    if (code == NULL) {
        code = compile(matcher->text, matcher->text_length, matcher->options | UNICODE_OPTIONS,
                       matcher->pattern.wants_crlf, NULL);
        if (code != NULL) {
            compile_jit(code);
            atomic_store(&matcher->unicode, code);
        }
    }
    pthread_mutex_unlock(&matcher->lock);
    return code;
}

/* The rewritten text when it is one, else the text as it was given. */
static int matcher_set_text(struct matcher *matcher, const char *text, size_t length)
{
    struct pattern *pattern = &matcher->pattern;
    pcre2_code *probe = NULL;

    if (pattern->rewritten != NULL) {
        probe = compile(pattern->rewritten, pattern->rewritten_length,
                        matcher->options | UNICODE_OPTIONS, matcher->pattern.wants_crlf, NULL);
        pcre2_code_free(probe);
    }
    if (probe != NULL) {
        text = pattern->rewritten;
        length = pattern->rewritten_length;
    }
    matcher->text = malloc(length + 1);
    if (matcher->text == NULL) {
        return -ENOMEM;
    }
    memcpy(matcher->text, text, length);
    matcher->text[length] = '\0';
    matcher->text_length = length;
    return 0;
}

/* A single byte is worth looking for when few lines have it. */
static bool is_rare(const struct pattern *pattern)
{
    return pattern->required.count == 1 &&
           literal_rank(pattern->required.items[0].bytes[0]) < RANK_RARE;
}

static void matcher_choose_mode(struct matcher *matcher)
{
    struct pattern *pattern = &matcher->pattern;
    size_t shortest = PATTERN_LITERAL_BYTES_MAX;

    for (size_t i = 0; i < pattern->required.count; i++) {
        size_t length = pattern->required.items[i].length;
        matcher->required[i] =
            literal_make(pattern->required.items[i].bytes, length, pattern->ignores_case);
        shortest = length < shortest ? length : shortest;
    }
    if (pattern->literal != NULL && !pattern->multi_line) {
        matcher->literal = literal_make(pattern->literal, pattern->literal_length, false);
        matcher->mode = MODE_LITERAL;
    } else if (pattern->multi_line) {
        matcher->mode = MODE_MULTI;
    } else if (pattern->required.count > 0 && (shortest > 1 || is_rare(pattern))) {
        matcher->mode = MODE_REQUIRED;
    } else {
        matcher->mode = pattern->each_line ? MODE_LINES : MODE_BUFFER;
    }
}

static int matcher_compile(struct matcher *matcher, const char *text, size_t length)
{
    int r = 0;

    matcher_choose_mode(matcher);
    if (matcher->mode == MODE_LITERAL) {
        return 0;
    }
    r = matcher_set_text(matcher, text, length);
    if (r == 0 && matcher->pattern.is_ascii) {
        matcher->ascii = compile(matcher->text, matcher->text_length, matcher->options,
                                 matcher->pattern.wants_crlf, NULL);
    }
    if (matcher->ascii != NULL) {
        compile_jit(matcher->ascii);
    }
    return r;
}

static int matcher_init(struct matcher *matcher, const char *text, size_t length, unsigned flags,
                        struct err *err)
{
    pcre2_code *probe = NULL;
    uint32_t options = PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;

    matcher->options = options | (flags & MATCHER_ICASE ? PCRE2_CASELESS : 0);
    probe = compile(text, length, matcher->options | UNICODE_OPTIONS, false, err);
    if (probe == NULL) {
        return -EINVAL;
    }
    pcre2_code_free(probe);
    pattern_init(&matcher->pattern, text, length, flags & MATCHER_ICASE);
    return matcher_compile(matcher, text, length);
}

int matcher_new(struct matcher **ret_matcher, const char *pattern, size_t length, unsigned flags,
                struct err *err)
{
    struct matcher *matcher = NULL;
    char *quoted = NULL;
    int r = 0;

    if (length > MATCHER_PATTERN_BYTES_MAX) {
        return err_set(err, -E2BIG, "it is %zu bytes long, at most %d are taken", length,
                       MATCHER_PATTERN_BYTES_MAX);
    }
    matcher = calloc(1, sizeof(*matcher));
    if (matcher == NULL) {
        return err_set(err, -ENOMEM, "no memory");
    }
    pthread_mutex_init(&matcher->lock, NULL);
    if (flags & MATCHER_FIXED) {
        quoted = pattern_quote(pattern, length, &length);
        pattern = quoted;
    }
    r = pattern == NULL ? err_set(err, -ENOMEM, "no memory")
                        : matcher_init(matcher, pattern, length, flags, err);
    free(quoted);
    if (r < 0) {
        matcher_free(matcher);
        return r;
    }
    *ret_matcher = matcher;
    return 0;
}

struct matcher *matcher_free(struct matcher *matcher)
{
    if (matcher != NULL) {
        pcre2_code_free(matcher->ascii);
        pcre2_code_free(atomic_load(&matcher->unicode));
        pattern_deinit(&matcher->pattern);
        pthread_mutex_destroy(&matcher->lock);
        free(matcher->text);
        free(matcher);
    }
    return NULL;
}

bool matcher_is_multi_line(const struct matcher *matcher)
{
    return matcher->pattern.multi_line;
}
