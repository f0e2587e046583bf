/* SPDX-License-Identifier: MIT
 *
 * The small parts of the tools: exit meanings, similar names, environment parsing, text detection,
 * the paginator fed byte by byte.
 */
#include "test_tools_fixture.h"

#include "tools/display_text.h"
#include "tools/encoding.h"
#include "tools/exit_meaning.h"
#include "tools/page.h"
#include "tools/similar.h"

/* L40 */
static void exit_codes_have_meanings(void **state)
{
    static const struct {
        const char *command;
        int code;
        const char *part; /* NULL: no meaning */
    } rows[] = {
        {"grep x f", 1, "no match"},
        {"/usr/bin/grep x f", 1, "no match"},
        {"LC_ALL=C A='b c' egrep x", 1, "no match"},
        {"cat f | sort | rg x", 1, "no match"},
        {"cd d && ag x", 1, "no match"},
        {"echo 'a; b' ; ack x;", 1, "no match"},
        {"ls\nfgrep x f\n", 1, "no match"},
        {"grep x f", 2, NULL},
        {"grep x f", 0, NULL},
        {"grep x f | head", 1, NULL},
        {"echo 'grep'", 1, NULL},
        {"diff a b", 1, "differ"},
        {"colordiff a b 2>&1", 1, "differ"},
        {"test -f x", 1, "condition"},
        {"[ -f x ]", 1, "condition"},
        {"find / -name x", 1, "directories"},
        {"curl -s u", 6, "resolved"},
        {"curl -s u", 7, "connection"},
        {"curl -s u", 22, "400"},
        {"curl -s u", 28, "timed out"},
        {"curl -s u", 1, NULL},
        {"git diff --exit-code", 1, "git"},
        {"make", 1, NULL},
        {"", 1, NULL},
        {"'unterminated", 1, NULL},
        {"A=1", 1, NULL},
        {"| | ;;", 1, NULL},
        {"x \\", 1, NULL},
        {"./crash", 139, "SIGSEGV"},
        {"./x", 255, NULL},
    };
    char buffer[96];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *meaning = exit_meaning(rows[i].command, rows[i].code, buffer, sizeof(buffer));
        if (rows[i].part == NULL && meaning != NULL) {
            fail_msg("%s: %s", rows[i].command, meaning);
        }
        if (rows[i].part != NULL) {
            assert_has(meaning != NULL ? meaning : rows[i].command, rows[i].part);
        }
    }
}

static void similar_names_are_scored(void **state)
{
    (void)state;
    assert_int_equal(similar_score("readme.md", "README.md"), 100);
    assert_int_equal(similar_score("main.c", "main.h"), 90);
    assert_int_equal(similar_score("config", "config_test.py"), 70);
    assert_int_equal(similar_score("tool", "my_tool.c"), 60);
    assert_int_equal(similar_score("settings.py", "setings.py"), 50);
    assert_int_equal(similar_score("my_utils_old", "utils"), 40);
    assert_int_equal(similar_score("abcd.py", "dcxa.py"), 30);
    assert_int_equal(similar_score("abcd.py", "xyz.c"), 0);
    assert_int_equal(similar_score("", "x"), 0);
    assert_true(similar_ratio("abcd", 4, "bcde", 4) == 0.75);
    assert_true(similar_ratio("", 0, "", 0) == 1.0);
}

static void exports_are_parsed(void **state)
{
    struct env_list list = {0};

    (void)state;
    assert_int_equal(shell_parse_exports("declare -x A=\"1\"\n"
                                         "declare -x NOVALUE\n"
                                         "declare -ix N=\"5\"\n"
                                         "declare -ax ARR=([0]=\"a) b\" [1]=$'c\\')')\n"
                                         "declare -x Q=\"a\\\"b\\$c\\`d\\\\e\nf\\g\"\n"
                                         "declare -x C=$'\\E\\001\\t\\'\\\\x'\n",
                                         &list),
                     0);
    assert_int_equal(list.count, 4);
    assert_string_equal(env_list_find(&list, "A", 1), "A=1");
    assert_string_equal(env_list_find(&list, "N", 1), "N=5");
    assert_string_equal(env_list_find(&list, "Q", 1), "Q=a\"b$c`d\\e\nf\\g");
    assert_string_equal(env_list_find(&list, "C", 1), "C=\033\001\t'\\x");
    env_list_deinit(&list);
}

static void malformed_exports_are_refused(void **state)
{
    static const char *const texts[] = {
        "x",
        "declare",
        "declare -x",
        "declare -x ",
        "declare -x =\"a\"",
        "declare -x A=b",
        "declare -x A=\"b",
        "declare -x A=$'b",
        "declare -x A=\"b\"c",
        "declare -x A=\"b\\",
        "declare -x A=$'\\",
        "declare -ax A=(",
        "declare -ax A=(\"",
        "declare -x 1A=\"b\"",
        "\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct env_list list = {0};
        char *exact = strdup(texts[i]); /* so that the sanitizer sees a step too far */
        assert_int_equal(shell_parse_exports(exact, &list), -EINVAL);
        env_list_deinit(&list);
        free(exact);
    }
}

static void records_change_only_what_changed(void **state)
{
    struct shell_state *shell = shell_state_new("/start", "/home/me");
    struct shell_snapshot start, now;
    static const char good[] =
        "/new\0declare -x FRESH=\"1\"\ndeclare -x PATH=\"/bin\"\n\0f() { :; }\n"
        "\0alias a='b'\n\0.";
    static const char bad[] = "/bad\0declare -x B=\"1\n\0\0\0.";

    (void)state;
    assert_non_null(shell);
    assert_int_equal(shell_state_snapshot(shell, &start), 0);
    for (size_t cut = 0; cut < sizeof(good) - 1; cut++) { /* incomplete: nothing happens */
        shell_state_apply(shell, &start, good, cut, 0);
    }
    shell_state_apply(shell, &start, bad, sizeof(bad), 0);
    assert_int_equal(shell_state_snapshot(shell, &now), 0);
    assert_string_equal(now.directory, "/start");
    assert_null(env_list_find(&now.env, "FRESH", 5));
    shell_snapshot_deinit(&now);
    shell_state_apply(shell, &start, good, sizeof(good), 0);
    assert_int_equal(shell_state_snapshot(shell, &now), 0);
    assert_string_equal(now.directory, "/new");
    assert_string_equal(env_list_find(&now.env, "FRESH", 5), "FRESH=1");
    assert_null(env_list_find(&now.env, "PAGER", 5)); /* it was unset in there */
    assert_has(now.prologue, "alias a='b'");
    shell_snapshot_deinit(&now);
    shell_snapshot_deinit(&start);
    shell_state_free(shell);
}

static void encodings_are_told_apart(void **state)
{
    unsigned char noise[1000];

    (void)state;
    for (size_t i = 0; i < sizeof(noise); i++) {
        noise[i] = (unsigned char)(1 + i * 167 % 255);
    }
    assert_int_equal(encoding_detect(noise, sizeof(noise), false), ENCODING_BINARY);
    assert_int_equal(encoding_detect((const unsigned char *)"", 0, true), ENCODING_UTF8);
    assert_int_equal(encoding_detect((const unsigned char *)"caf\xc3", 4, true), ENCODING_8BIT);
    assert_int_equal(encoding_detect((const unsigned char *)"caf\xc3", 4, false), ENCODING_UTF8);
    assert_int_equal(encoding_detect((const unsigned char *)"\x1b[1mx", 5, true), ENCODING_UTF8);
    assert_int_equal(encoding_detect((const unsigned char *)"\x93\xfa\x96\x7b\x8c\xea", 6, true),
                     ENCODING_8BIT); /* Shift-JIS */
}

static void gutters_are_recognised(void **state)
{
    static const char *const yes[] = {"1|a\n2|b", "9|a\n10|b\n\n11|c\n", "1|a\n2|b\nx\n"};
    static const char *const no[] = {"1|a",     "", "1|a\n1|b\n", "a\nb\n", "1|a\nx\ny\n2|b\n",
                                     "1 a\n2 b"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_true(display_text_has_gutter(yes[i], strlen(yes[i])));
    }
    for (size_t i = 0; i < 6; i++) {
        assert_false(display_text_has_gutter(no[i], strlen(no[i])));
    }
}

/* The result must not depend on how the bytes arrive. */
static void the_page_does_not_depend_on_the_blocks(void **state)
{
    static const char text[] = "a\r\n\r\nbé\nlast\r";

    (void)state;
    for (int raw = 0; raw < 2; raw++) {
        for (size_t step = 1; step <= sizeof(text); step++) {
            struct page page;
            page_init(&page, raw, 1, 3);
            for (size_t at = 0; at < sizeof(text) - 1; at += step) {
                size_t left = sizeof(text) - 1 - at;
                page_feed(&page, (const unsigned char *)text + at, left < step ? left : step);
            }
            page_finish(&page);
            assert_int_equal(page_total_lines(&page), 4);
            assert_true(page_truncated(&page));
            assert_string_equal(page_line_ending(&page), "mixed");
            if (raw) {
                assert_memory_equal(page.out.data, "a\r\n\r\nbé\n", 9);
                assert_int_equal(page.out.length, 9);
            } else {
                assert_memory_equal(page.out.data, "1|a\n2|\n3|bé", 12);
                assert_int_equal(page.out.length, 12);
            }
            page_deinit(&page);
        }
    }
}

static void raw_pages_keep_whole_lines_under_the_byte_limit(void **state)
{
    size_t line = 1u << 20;
    unsigned char *text = malloc(line);
    struct page page;

    (void)state;
    memset(text, 'x', line);
    text[line - 1] = '\n';
    page_init(&page, true, 1, 0);
    for (int i = 0; i < 33; i++) {
        page_feed(&page, text, line);
    }
    page_finish(&page);
    assert_int_equal(page.out.length, PAGE_RAW_BYTES_MAX);
    assert_int_equal(page.shown, 32);
    assert_true(page_truncated(&page));
    page_deinit(&page);
    text[line - 1] = 'x';
    page_init(&page, true, 1, 0);
    for (int i = 0; i < 33; i++) {
        page_feed(&page, text, line);
    }
    page_finish(&page);
    assert_true(page.line_cut);
    assert_int_equal(page.out.length, PAGE_RAW_BYTES_MAX);
    page_deinit(&page);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_codes_have_meanings),
        cmocka_unit_test(similar_names_are_scored),
        cmocka_unit_test(exports_are_parsed),
        cmocka_unit_test(malformed_exports_are_refused),
        cmocka_unit_test(records_change_only_what_changed),
        cmocka_unit_test(encodings_are_told_apart),
        cmocka_unit_test(gutters_are_recognised),
        cmocka_unit_test(the_page_does_not_depend_on_the_blocks),
        cmocka_unit_test(raw_pages_keep_whole_lines_under_the_byte_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
