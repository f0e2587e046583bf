/* SPDX-License-Identifier: MIT
 *
 * Text helpers: nearest names, numbers with units.
 */
#include "base/str.h"
#include "unit.h"

#include <errno.h>
#include <locale.h>
#include <string.h>

static void test_format_and_compare(void **state)
{
    (void)state;
    _cleanup_free_ char *text = str_format("%s-%d", "a", 5);
    assert_string_equal(text, "a-5");
    assert_true(str_equal(NULL, NULL));
    assert_false(str_equal(NULL, ""));
    assert_false(str_equal("", NULL));
    assert_true(str_equal("ab", "ab"));
    assert_false(str_equal("ab", "abc"));
    assert_true(str_starts_with("abc", ""));
    assert_true(str_starts_with("abc", "abc"));
    assert_false(str_starts_with("ab", "abc"));
    assert_false(str_starts_with("xabc", "abc"));
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"search_files", "read_file", "write_file",
                                        "terminal",     "path",      NULL};
    static const struct {
        const char *name, *nearest;
    } rows[] = {
        {"serch_files", "search_files"},
        {"search-files", "search_files"},
        {"SEARCH_FILES", "search_files"},
        {"searchfiles", "search_files"},
        {"raed_file", "read_file"}, /* one swap */
        {"terminla", "terminal"},
        {"file_path", NULL},
        {"pth", "path"},
        {"pa", NULL},
        {"", NULL},
        {"rite_file", "write_file"},
        {"zzzzzzzzzzzz", NULL},
        {"path", "path"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *found = str_nearest(rows[i].name, names, COUNT(names));
        if (!str_equal(found, rows[i].nearest))
            fail_msg("%s: %s", rows[i].name, found ? found : "(none)");
    }
    assert_null(str_nearest("path", NULL, 0));
}

static void test_nearest_measures_not_guesses(void **state)
{
    (void)state;
    /* Insertion, deletion, substitution and swap cost one each; a third of six letters is two. */
    static const char *const six[] = {"abcdef"};
    static const char *const near[] = {"abcdef", "abcde", "abcdefgh", "bacdfe", "axcdyf", "cdef"};
    static const char *const far[] = {"abc", "fedcba", "xbydzf", "abcxyz"};
    for (size_t i = 0; i < COUNT(near); i++)
        assert_non_null(str_nearest(near[i], six, 1));
    for (size_t i = 0; i < COUNT(far); i++)
        assert_null(str_nearest(far[i], six, 1));
    static const char *const two[] = {"abcdxx", "abcdex"};
    assert_string_equal(str_nearest("abcdef", two, 2), "abcdex");
}

static void test_nearest_ignores_what_is_no_name(void **state)
{
    (void)state;
    char sixty_four[65], longer[70];
    memset(sixty_four, 'a', 64);
    memset(longer, 'a', 69);
    sixty_four[64] = longer[69] = '\0';
    const char *const candidates[] = {longer, sixty_four};
    assert_ptr_equal(str_nearest(sixty_four, candidates, 2), sixty_four);
    assert_null(str_nearest(longer, candidates, 2));
}

struct row {
    const char *text;
    int rc;
    uint64_t value;
};

static void check_rows(int (*parse)(const char *, uint64_t *), const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 4711;
        int rc = parse(rows[i].text, &value);
        uint64_t expected = rows[i].rc < 0 ? 4711 : rows[i].value; /* untouched on failure */
        if (rc != rows[i].rc || value != expected)
            fail_msg("\"%s\": %d, %llu", rows[i].text, rc, (unsigned long long)value);
    }
}

static void test_parse_bytes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"0", 0, 0},
        {"512", 0, 512},
        {"512B", 0, 512},
        {"512K", 0, 512 << 10},
        {"2M", 0, 2 << 20},
        {"2MiB", 0, 2 << 20},
        {"2mb", 0, 2 << 20},
        {"2 MiB", 0, 2 << 20},
        {"1.5G", 0, 3ull << 29},
        {"0.5k", 0, 512},
        {"1T", 0, 1ull << 40},
        {"18446744073709551615", 0, UINT64_MAX},
        {"18446744073709551616", -ERANGE, 0},
        {"17179869184G", -ERANGE, 0},
        {"16777216T", -ERANGE, 0},
        {"16777215.9999999999T", 0, UINT64_MAX - 1099}, /* digits after the ninth are ignored */
        {"", -EINVAL, 0},
        {"K", -EINVAL, 0},
        {"1.5", -EINVAL, 0},
        {"1.5B", -EINVAL, 0},
        {"1.", -EINVAL, 0},
        {".5K", -EINVAL, 0},
        {"-1", -EINVAL, 0},
        {"+1", -EINVAL, 0},
        {" 1", -EINVAL, 0},
        {"1 ", -EINVAL, 0},
        {"1  K", -EINVAL, 0},
        {"1X", -EINVAL, 0},
        {"1KK", -EINVAL, 0},
        {"1Ki", -EINVAL, 0},
        {"0x10", -EINVAL, 0},
        {"1e3", -EINVAL, 0},
        {"1,5K", -EINVAL, 0},
    };
    check_rows(str_parse_bytes, rows, COUNT(rows));
}

static void test_parse_duration(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"30", 0, 30000},        {"0", 0, 0},           {"0.5", 0, 500},
        {"90s", 0, 90000},       {"5m", 0, 300000},     {"2h", 0, 7200000},
        {"1.5h", 0, 5400000},    {"250ms", 0, 250},     {"2H", 0, 7200000},
        {"0.0001", 0, 1}, /* must not become 0 = no limit */
        {"0.000000001ms", 0, 1}, {"0.0", 0, 0},         {"1.0001s", 0, 1001},
        {"5 m", -EINVAL, 0},     {"5d", -EINVAL, 0},    {"", -EINVAL, 0},
        {"s", -EINVAL, 0},       {"-5", -EINVAL, 0},    {"nan", -EINVAL, 0},
        {"inf", -EINVAL, 0},     {"1m30s", -EINVAL, 0}, {"18446744073709551615", -ERANGE, 0},
    };
    check_rows(str_parse_duration_ms, rows, COUNT(rows));
}

static void test_parse_u64(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"0", 0, 0},
        {"007", 0, 7},
        {"18446744073709551615", 0, UINT64_MAX},
        {"18446744073709551616", -ERANGE, 0},
        {"99999999999999999999999", -ERANGE, 0},
        {"", -EINVAL, 0},
        {"-1", -EINVAL, 0},
        {"1 ", -EINVAL, 0},
        {"0x1", -EINVAL, 0},
        {"1.0", -EINVAL, 0},
    };
    check_rows(str_parse_u64, rows, COUNT(rows));
}

static void test_human_bytes(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = {
        {0, "0 bytes"},
        {1, "1 byte"},
        {512, "512 bytes"},
        {1023, "1023 bytes"},
        {1024, "1.0 KiB"},
        {1536, "1.5 KiB"},
        {(1 << 20) - 1, "1.0 MiB"}, /* not 1024.0 KiB */
        {1 << 20, "1.0 MiB"},
        {2ull << 30, "2.0 GiB"},
        {1ull << 40, "1.0 TiB"},
        {UINT64_MAX, "16.0 EiB"},
    };
    char text[32];
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(str_human_bytes(rows[i].bytes, text, sizeof(text)), rows[i].text);
    char little[4];
    assert_string_equal(str_human_bytes(2048, little, sizeof(little)), "2.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format_and_compare),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_nearest_measures_not_guesses),
        cmocka_unit_test(test_nearest_ignores_what_is_no_name),
        cmocka_unit_test(test_parse_bytes),
        cmocka_unit_test(test_parse_duration),
        cmocka_unit_test(test_parse_u64),
        cmocka_unit_test(test_human_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
