/* SPDX-License-Identifier: MIT
 *
 * The matcher takes five ways to the same answer. Here every way is compared with the slow one:
 * each line alone. Random expressions over random text, from the pieces that decide which way is
 * taken; and what is known of an expression from its text.
 */
#include "test_tools_fixture.h"

#include "base/err.h"
#include "tools/search_literal.h"
#include "tools/search_matcher.h"
#include "tools/search_pattern.h"

static unsigned random_next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

#define PICK(seed, list) ((list)[random_next(seed) % (sizeof(list) / sizeof((list)[0]))])

/* The numbers of the lines that match, as text. */
static void lines_of(const char *pattern, unsigned flags, const char *data, size_t length,
                     bool one_at_a_time, char *out, size_t size)
{
    struct err err = ERR_INIT;
    struct matcher *matcher = NULL;
    struct matcher_scratch *scratch = matcher_scratch_new(NULL, NULL);
    size_t at = 0, line = 1, used = 0;

    out[0] = '\0';
    if (matcher_new(&matcher, pattern, strlen(pattern), flags, &err) < 0) {
        matcher_scratch_free(scratch); /* the dice made something that is no expression */
        return;
    }
    if (!one_at_a_time) {
        matcher_begin(scratch, data, length);
    }
    while (at < length) {
        const char *newline = memchr(data + at, '\n', length - at);
        size_t end = newline != NULL ? (size_t)(newline - data) : length;
        struct matcher_span span = {0};
        int r = 0;
        if (one_at_a_time) { /* a copy, so that nothing around it can be seen */
            char *copy = malloc(end - at + 2);
            memcpy(copy, data + at, end - at);
            copy[end - at] = '\n';
            matcher_begin(scratch, copy, end - at + 1);
            r = matcher_next(matcher, scratch, 0, &span);
            free(copy);
            if (r == 1) {
                used += (size_t)snprintf(out + used, size - used, "%zu ", line);
            }
        } else {
            r = matcher_next(matcher, scratch, at, &span);
            if (r == 0) {
                break;
            }
            for (const char *p = data + at; p < data + span.start; p++) {
                line += *p == '\n';
            }
            used += (size_t)snprintf(out + used, size - used, "%zu ", line);
            end = span.end;
        }
        assert_true(r >= 0);
        line++;
        at = end + 1;
    }
    matcher_scratch_free(scratch);
    matcher_free(matcher);
}

static size_t text_write(char *text, size_t size, unsigned *seed)
{
    static const char *const pieces[] = {
        "foo", "bar", "x", "y", " ",  "\t",   "\n", "\n",       "\n\n",         "FOO", "42",
        "-",   "_",   "=", "a", "ab", "\r\n", "k",  "\xc3\xa4", "\xe2\x84\xaa", "("};
    size_t length = 0;

    while (length + 8 < size) {
        const char *piece = PICK(seed, pieces);
        memcpy(text + length, piece, strlen(piece));
        length += strlen(piece);
        if (random_next(seed) % 300 == 0) {
            break;
        }
    }
    return length;
}

static void pattern_write(char *pattern, size_t size, unsigned *seed)
{
    static const char *const atoms[] = {
        "foo",   "bar",    "x",           "\\s",      "\\S",      "\\w",    "\\W",   "\\d",
        "\\D",   "[^x]",   "[^a-f]",      "[ab]",     ".",        "\\bfoo", "\\(",   "(?:foo|bar)",
        "(a|b)", "_",      "=",           "k",        "\xc3\xa4", "(?=x)",  "(?!x)", "(?<=o)",
        "\\Bo",  "[^\\s]", "[[:alpha:]]", "(ab|x)y?", "oo"};
    static const char *const quantifiers[] = {"",  "",    "",   "",   "*",    "+",
                                              "?", "{2}", "*?", "++", "{0,3}"};
    unsigned count = 1 + random_next(seed) % 4;

    pattern[0] = '\0';
    if (random_next(seed) % 6 == 0) {
        strcat(pattern, "(?i)");
    }
    if (random_next(seed) % 6 == 0) {
        strcat(pattern, "^");
    }
    for (unsigned i = 0; i < count && strlen(pattern) + 40 < size; i++) {
        if (i > 0 && random_next(seed) % 6 == 0) {
            strcat(pattern, "|");
        }
        strcat(pattern, PICK(seed, atoms));
        strcat(pattern, PICK(seed, quantifiers));
    }
    if (random_next(seed) % 6 == 0) {
        strcat(pattern, "$");
    }
}

static void every_way_gives_the_same_lines(void **state)
{
    char text[3000], pattern[256], whole[16384], single[16384];

    (void)state;
    for (unsigned seed = 1; seed <= 12000; seed++) {
        unsigned random = seed * 7919u;
        size_t length = text_write(text, sizeof(text), &random);
        unsigned flags = random_next(&random) % 5 == 0 ? MATCHER_ICASE : 0;
        pattern_write(pattern, sizeof(pattern), &random);
        lines_of(pattern, flags, text, length, false, whole, sizeof(whole));
        lines_of(pattern, flags, text, length, true, single, sizeof(single));
        if (strcmp(whole, single) != 0) {
            fail_msg("seed %u, pattern %s, flags %u: lines %s, alone %s", seed, pattern, flags,
                     whole, single);
        }
    }
}

static void literals_are_found_where_memmem_finds_them(void **state)
{
    char data[400];

    (void)state;
    for (unsigned seed = 1; seed <= 3000; seed++) {
        unsigned random = seed;
        size_t length = random_next(&random) % sizeof(data), at = random_next(&random) % 40;
        char needle[40];
        size_t needle_length = 1 + random_next(&random) % 6;
        struct literal literal;
        const char *found = NULL;
        for (size_t i = 0; i < length; i++) {
            data[i] = (char)("abAB"[random_next(&random) % 4]);
        }
        for (size_t i = 0; i < needle_length; i++) {
            needle[i] = (char)("ab"[random_next(&random) % 2]);
        }
        literal = literal_make(needle, needle_length, false);
        found = at < length ? memmem(data + at, length - at, needle, needle_length) : NULL;
        assert_int_equal(literal_find(&literal, data, length, at),
                         found != NULL ? (size_t)(found - data) : LITERAL_NONE);
        for (size_t i = 0; i < length; i++) { /* the other case, in place */
            data[i] ^= (char)(random_next(&random) % 2 * 0x20);
        }
        literal = literal_make(needle, needle_length, true);
        at = literal_find(&literal, data, length, 0);
        for (size_t i = 0; i + needle_length <= (at != LITERAL_NONE ? at : length); i++) {
            assert_int_not_equal(strncasecmp(data + i, needle, needle_length), 0);
        }
        if (at != LITERAL_NONE) {
            assert_int_equal(strncasecmp(data + at, needle, needle_length), 0);
        }
    }
}

struct known {
    const char *pattern;
    const char *literal;  /* NULL: it is not plain text */
    const char *required; /* joined by ',' */
    bool multi_line;
};

static const struct known patterns[] = {
    {"foo", "foo", "foo", false},
    {"a\\.b", "a.b", "a.b", false},
    {"foo\\nbar", "foo\nbar", "foo\nbar", true},
    {"foo\nbar", "foo\nbar", "foo\nbar", true},
    {"foo\\\\nbar", "foo\\nbar", "foo\\nbar", false},
    {"[^\\n]x", NULL, "x", false},
    {"[\\n]x", NULL, "x", true},
    {"foo.*barbaz", NULL, "barbaz", false},
    {"foox?", NULL, "foo", false},
    {"foo|barx", NULL, "foo,barx", false},
    {"foo|b?", NULL, "", false},
    {"(foo|bar)quux", NULL, "quux", false},
    {"(food|bard)q", NULL, "food,bard", false},
    {"\\bword\\b", NULL, "word", false},
    {"^start$", NULL, "start", false},
    {"(?i)Name", NULL, "name", false},
    {"(?i)ask", NULL, "a", false},
    {"x(?=foo)", NULL, "", false},
    {"\\x41", NULL, "", false},
    {"\\w+", NULL, "", false},
    {"ab{0}c", NULL, "c", false},
    {"ab{2}", NULL, "ab", false},
    {"a{,3}", "a{,3}", "a{,3}", false},
};

static void what_the_text_of_a_pattern_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        const struct known *known = &patterns[i];
        struct pattern pattern;
        char required[512] = "";
        pattern_init(&pattern, known->pattern, strlen(known->pattern), false);
        for (size_t k = 0; k < pattern.required.count; k++) {
            if (k > 0) {
                strcat(required, ",");
            }
            strncat(required, pattern.required.items[k].bytes, pattern.required.items[k].length);
        }
        if (strcmp(required, known->required) != 0 || pattern.multi_line != known->multi_line ||
            (known->literal == NULL) != (pattern.literal == NULL) ||
            (known->literal != NULL && strcmp(known->literal, pattern.literal) != 0)) {
            fail_msg("%s: literal %s, required %s, multi-line %d", known->pattern,
                     pattern.literal != NULL ? pattern.literal : "none", required,
                     pattern.multi_line);
        }
        pattern_deinit(&pattern);
    }
}

static void bad_patterns_say_where(void **state)
{
    struct matcher *matcher = NULL;
    struct err err = ERR_INIT;
    char *long_one = malloc(MATCHER_PATTERN_BYTES_MAX + 2);

    (void)state;
    assert_int_equal(matcher_new(&matcher, "a(b", 3, 0, &err), -EINVAL);
    assert_has(err.text, "parenthesis");
    assert_has(err.text, "position 3");
    memset(long_one, 'a', MATCHER_PATTERN_BYTES_MAX + 1);
    assert_int_equal(matcher_new(&matcher, long_one, MATCHER_PATTERN_BYTES_MAX + 1, 0, &err),
                     -E2BIG);
    free(long_one);
    /* as plain text nothing is wrong */
    assert_int_equal(matcher_new(&matcher, "a(b", 3, MATCHER_FIXED, &err), 0);
    matcher_free(matcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_gives_the_same_lines),
        cmocka_unit_test(literals_are_found_where_memmem_finds_them),
        cmocka_unit_test(what_the_text_of_a_pattern_says),
        cmocka_unit_test(bad_patterns_say_where),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
