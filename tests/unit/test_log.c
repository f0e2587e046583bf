/* SPDX-License-Identifier: MIT
 *
 * Log lines: levels, and that foreign text cannot forge a line or drive a terminal.
 */
#include "base/log.h"
#include "base/utf8.h"
#include "unit.h"

#include <string.h>

struct seen {
    int count;
    enum log_level level;
    char line[4096];
};

static void remember(void *user, enum log_level level, const char *line)
{
    struct seen *seen = user;
    seen->count++;
    seen->level = level;
    strncpy(seen->line, line, sizeof(seen->line) - 1);
}

static void test_nobody_listens(void **state)
{
    (void)state;
    log_line(NULL, LOG_ERROR, "x");
    struct log log = {.level = LOG_DEBUG};
    log_line(&log, LOG_ERROR, "%s", "x");
}

static void test_levels(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct log log = {.fn = remember, .user = &seen, .level = LOG_WARNING};
    log_line(&log, LOG_INFO, "no");
    log_line(&log, LOG_DEBUG, "no");
    assert_int_equal(seen.count, 0);
    log_line(&log, LOG_WARNING, "run %d", 3);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.level, LOG_WARNING);
    assert_string_equal(seen.line, "run 3");
    log_line(&log, LOG_ERROR, "yes");
    assert_int_equal(seen.count, 2);
}

static void test_one_line_without_controls(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct log log = {.fn = remember, .user = &seen, .level = LOG_INFO};
    log_line(&log, LOG_INFO,
             "a\nforged\r\x1b[2J\x7f\tb\xc2\x9b"
             "c\xff\n");
    assert_string_equal(seen.line, "a forged  [2J  b  c\xef\xbf\xbd");
}

static void test_long_lines_are_cut_valid(void **state)
{
    (void)state;
    char many[8000];
    for (size_t i = 0; i + 3 < sizeof(many); i += 3)
        memcpy(many + i, "\xe2\x82\xac", 4);
    struct seen seen = {0};
    struct log log = {.fn = remember, .user = &seen, .level = LOG_INFO};
    log_line(&log, LOG_INFO, "%s", many);
    size_t length = strlen(seen.line);
    assert_true(length > 1000 && length < 3000);
    assert_true(utf8_valid(seen.line, length));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_listens),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_one_line_without_controls),
        cmocka_unit_test(test_long_lines_are_cut_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
