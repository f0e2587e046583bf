/* SPDX-License-Identifier: MIT
 *
 * Shell patterns, one row per rule, and that hostile ones end soon.
 */
#include "test_tools_fixture.h"

#include "base/clock.h"
#include "tools/glob.h"

struct row {
    const char *pattern, *text;
    bool matches;
};

static const struct row rows[] = {
    {"", "", true},
    {"", "a", false},
    {"abc", "abc", true},
    {"abc", "abcd", false},
    {"*", "", true},
    {"*", "abc", true},
    {"*", "a/b", false},
    {"*.c", "x.c", true},
    {"*.c", "x.c.o", false},
    {"a*c*e", "abcde", true},
    {"a*c*e", "abcdf", false},
    {"*a*a*b", "aaaaaab", true},
    {"?", "a", true},
    {"?", "/", false},
    {"?", "", false},
    {"a?c", "abc", true},
    /* whole parts */
    {"**", "a/b/c", true},
    {"**/c", "c", true},
    {"**/c", "a/b/c", true},
    {"**/c", "a/bc", false},
    {"a/**", "a/b/c", true},
    {"a/**", "a", false},
    {"a/**/z", "a/z", true},
    {"a/**/z", "a/b/c/z", true},
    {"a/**/z", "ab/z", false},
    {"**/a/**/b", "x/a/y/a/z/b", true},
    {"**/a/*b/c", "a/xb/d/a/yb/c", true},
    {"a**b", "axxb", true},
    {"a**b", "ax/xb", false},
    {"**a", "x/a", false},
    /* classes */
    {"[abc]", "b", true},
    {"[!abc]", "b", false},
    {"[^abc]", "d", true},
    {"[a-c]x", "bx", true},
    {"[]]", "]", true},
    {"[!]]", "a", true},
    {"[]-a]", "_", true},
    {"[a-]", "-", true},
    {"[\\]]", "]", true},
    {"[[:digit:]][[:alpha:]]", "7x", true},
    {"[[:digit:]]", "x", false},
    {"[![:space:]]", "x", true},
    {"[!a]", "/", false},
    {"a[/]b", "a/b", false},
    {"[a", "a", false},
    {"[", "[", false},
    {"[[:nothing:]]", "a", false},
    /* escapes */
    {"\\*", "*", true},
    {"\\*", "a", false},
    {"a\\", "a\\", false},
    {"\\a", "a", true},
    /* text is bytes */
    {"\xc3\xa4*", "\xc3\xa4x", true},
};

static void every_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (glob_match(rows[i].pattern, rows[i].text, 0) != rows[i].matches) {
            fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].text);
        }
    }
}

static void case_and_characters(void **state)
{
    (void)state;
    assert_true(glob_match("*.PY", "x.py", GLOB_ICASE));
    assert_true(glob_match("[A-C]", "b", GLOB_ICASE));
    assert_true(glob_match("[[:upper:]]", "b", GLOB_ICASE));
    assert_false(glob_match("*.PY", "x.py", 0));
    assert_true(glob_match("?.c", "\xc3\xa4.c", GLOB_CHARS));
    assert_false(glob_match("?.c", "\xc3\xa4.c", 0));
}

static void hostile_patterns_end(void **state)
{
    char pattern[4096], text[8192];
    uint64_t start = clock_now_ns();

    (void)state;
    for (size_t i = 0; i + 2 < sizeof(pattern); i += 2) {
        memcpy(pattern + i, "*a", 3);
    }
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    text[sizeof(text) - 2] = 'b';
    assert_false(glob_match(pattern, text, 0));
    for (size_t i = 0; i + 5 < sizeof(pattern); i += 5) {
        memcpy(pattern + i, "**/a/", 6);
    }
    for (size_t i = 1; i < sizeof(text) - 2; i += 2) {
        text[i] = '/';
    }
    assert_false(glob_match(pattern, text, 0));
    assert_true(clock_now_ns() - start < 20 * NS_PER_S); /* exponential would be years */
}

static bool set_matches(const char *pattern, bool substring, const char *path)
{
    struct glob_set set;
    const char *slash = strrchr(path, '/');
    bool matches = false;

    assert_int_equal(glob_set_init(&set, pattern, substring, 0), 0);
    matches = glob_set_match(&set, path, slash != NULL ? slash + 1 : path);
    glob_set_deinit(&set);
    return matches;
}

static void sets(void **state)
{
    struct glob_set set;
    char many[2048] = "";

    (void)state;
    assert_true(set_matches("*.py", false, "a/b/x.py"));
    assert_true(set_matches("*.{py,c}", false, "x.c"));
    assert_true(set_matches("{a,b{1,2}}.c", false, "b2.c"));
    assert_false(set_matches("{a,b{1,2}}.c", false, "b.c"));
    assert_true(set_matches("{a}", false, "{a}")); /* no comma: no braces */
    assert_true(set_matches("\\{a,b\\}", false, "{a,b}"));
    assert_false(set_matches("!*.py", false, "x.py"));
    assert_true(set_matches("!*.py", false, "x.c"));
    assert_true(set_matches("src/*.c", false, "src/x.c"));
    assert_true(set_matches("src/*.c", false, "lib/src/x.c"));
    assert_false(set_matches("/src/*.c", false, "lib/src/x.c"));
    assert_false(set_matches("./src/*.c", false, "lib/src/x.c"));
    assert_true(set_matches("src/**/x.c", false, "src/a/b/x.c"));
    assert_true(set_matches("main", true, "src/old_main.py"));
    assert_true(set_matches("src/main", true, "src/main.py"));
    assert_false(set_matches("src/main", true, "lib/main.py"));
    assert_false(set_matches("main", false, "main.py"));
    assert_false(set_matches("../../**", false, "a"));
    for (int i = 0; i < 12; i++) {
        strcat(many, "{a,b}");
    }
    assert_int_equal(glob_set_init(&set, many, false, 0), -E2BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule),
        cmocka_unit_test(case_and_characters),
        cmocka_unit_test(hostile_patterns_end),
        cmocka_unit_test(sets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
