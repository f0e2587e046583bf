/* SPDX-License-Identifier: MIT
 *
 * Escape stripping: a table of what must happen, and a comparison with a slow and obvious matcher
 * on random text made of the bytes that matter.
 */
#include "text/ansi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define E        "\x1b"
#define BEL      "\x07"
#define C1(byte) "\xc2" byte

static const struct {
    const char *in, *out;
} rows[] = {
    {"", ""},
    {"plain\n\ttext\r\n", "plain\n\ttext\r\n"},
    {"bare controls \x01\x08\x0b\x7f stay", "bare controls \x01\x08\x0b\x7f stay"},
    /* CSI */
    {E "[31mred" E "[0m", "red"},
    {E "[1;38;5;208mx" E "[m", "x"},
    {E "[?25l" E "[2J" E "[Hx", "x"},
    {E "[!p" E "[ qx", "x"},
    {E "[1 @x", "x"},
    {"a" E "[K", "a"},
    /* OSC */
    {E "]0;title" BEL "x", "x"},
    {E "]0;title" E "\\x", "x"},
    {E "]8;;https://a.b/c?d" E "\\link" E "]8;;" E "\\", "link"},
    {E "]0;a\nb" BEL "x", "x"},
    {E "]a" E "b" BEL "x", "x"},
    {E "]" BEL "x", "x"},
    /* DCS, SOS, PM, APC end only by ESC \ */
    {E "Pq#0" E "\\x", "x"},
    {E "Xa" BEL "b" E "\\x", "x"},
    {E "^a" E "\\" E "_b" E "\\x", "x"},
    /* nF and two-byte sequences */
    {E "(Bx" E ")0y", "xy"},
    {E " Fx", "x"},
    {E "%/Gx", "x"},
    {E "7x" E "8" E "cy" E "=z" E ">", "xyz"},
    {E "\\x", "x"},
    {E "~x", "x"},
    /* C1 as code points */
    {C1("\x9b") "31mx", "x"},
    {C1("\x9d") "0;t" BEL "x", "x"},
    {C1("\x9d") "0;t" C1("\x9c") "x", "x"},
    {C1("\x9d") "a" E "\\b" C1("\x9c") "x", "x"},
    {"a" C1("\x80") "b" C1("\x85") "c" C1("\x9f") "d", "abcd"},
    {C1("\x90") "q" C1("\x9c") "x", "qx"},
    {"\xc2\xa0\xc2\xa9\xc2\xbf", "\xc2\xa0\xc2\xa9\xc2\xbf"},
    /* 0x80-0x9F as the inner byte of other characters is no control */
    {"\xc3\x9b \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\x9b \xe2\x82\xac \xf0\x9f\x98\x80"},
    /* what is not finished */
    {E, E},
    {"a" E, "a" E},
    {E "[", ""},
    {E "[31", "31"},
    {E "[31\nm", "31\nm"},
    {E "[3\xc3\xa9", "3\xc3\xa9"},
    {E "]0;title", "0;title"},
    {E "]0;title" E, "0;title" E},
    {E "]0;" E "[31mred", "0;red"},
    {E "Pdata" BEL, "data" BEL},
    {E "(", E "("},
    {E "(\n", E "(\n"},
    {E "\n", E "\n"},
    {E E "[31mx", E "x"},
    {E "\xc3\xa9", E "\xc3\xa9"},
    {C1("\x9b"), ""},
    {C1("\x9b") "31", "31"},
    {C1("\x9d") "0;t", "0;t"},
    {C1("\x9d") "0;t" E "\\", "0;t"},
    {"\xc2", "\xc2"},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *text = strdup(rows[i].in);
        size_t length = ansi_strip(text, strlen(text));
        if (length != strlen(rows[i].out) || memcmp(text, rows[i].out, length) != 0)
            fail_msg("row %zu: got %zu bytes '%.*s', want '%s'", i, length, (int)length, text,
                     rows[i].out);
        free(text);
    }
}

static void test_nul_bytes(void **state)
{
    (void)state;
    char text[] = "a\0" E "[31m\0b" E "]x\0y" BEL "c";
    size_t length = ansi_strip(text, sizeof(text) - 1);
    assert_int_equal(length, 5);
    assert_memory_equal(text, "a\0\0bc", 5);
    assert_int_equal(ansi_strip(NULL, 0), 0);
}

/* ---- a slow matcher that follows the grammar line by line
 * ----------------------------------------- */

static bool in(int c, int low, int high)
{
    return c >= low && c <= high;
}

static int at(const char *text, size_t length, size_t i)
{
    return i < length ? (unsigned char)text[i] : -1;
}

static size_t slow_csi(const char *t, size_t n, size_t i)
{
    while (in(at(t, n, i), 0x30, 0x3f))
        i++;
    while (in(at(t, n, i), 0x20, 0x2f))
        i++;
    return in(at(t, n, i), 0x40, 0x7e) ? i + 1 : 0;
}

static size_t slow_find(const char *t, size_t n, size_t i, const char *a, const char *b)
{
    for (; i < n; i++) {
        if (a && i + strlen(a) <= n && memcmp(t + i, a, strlen(a)) == 0)
            return i + strlen(a);
        if (b && i + strlen(b) <= n && memcmp(t + i, b, strlen(b)) == 0)
            return i + strlen(b);
    }
    return 0;
}

static size_t slow_match(const char *t, size_t n, size_t i)
{
    int c = at(t, n, i), d = at(t, n, i + 1);
    size_t end = 0;

    if (c == 0x1b && d == '[' && (end = slow_csi(t, n, i + 2)))
        return end;
    if (c == 0x1b && d == ']' && (end = slow_find(t, n, i + 2, BEL, E "\\")))
        return end;
    if (c == 0x1b && d > 0 && strchr("PX^_", d) && (end = slow_find(t, n, i + 2, E "\\", NULL)))
        return end;
    if (c == 0x1b && in(d, 0x20, 0x2f)) {
        size_t k = i + 1;
        while (in(at(t, n, k), 0x20, 0x2f))
            k++;
        return in(at(t, n, k), 0x30, 0x7e) ? k + 1 : 0;
    }
    if (c == 0x1b && in(d, 0x30, 0x7e))
        return i + 2;
    if (c == 0xc2 && d == 0x9b && (end = slow_csi(t, n, i + 2)))
        return end;
    if (c == 0xc2 && d == 0x9d && (end = slow_find(t, n, i + 2, BEL, C1("\x9c"))))
        return end;
    return c == 0xc2 && in(d, 0x80, 0x9f) ? i + 2 : 0;
}

static size_t slow_strip(const char *text, size_t length, char *out)
{
    size_t written = 0;
    for (size_t i = 0; i < length;) {
        size_t end = slow_match(text, length, i);
        if (end > 0)
            i = end;
        else
            out[written++] = text[i++];
    }
    return written;
}

static void test_random(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        E,          "[",        "]",        "P",        "\\",           BEL,   "m",    "3",
        ";",        " ",        "(",        "B",        "\n",           "x",   "_",    "^",
        "X",        "~",        "\t",       E,          E "]",          E "[", E "\\", C1("\x9b"),
        C1("\x9d"), C1("\x9c"), C1("\x85"), "\xc2\xa9", "\xe2\x82\xac",
    };
    srand(7);
    for (int round = 0; round < 200000; round++) {
        char text[64], want[64];
        size_t length = 0;
        for (int k = rand() % 16; k > 0; k--) {
            const char *piece = pieces[(size_t)rand() % (sizeof(pieces) / sizeof(pieces[0]))];
            memcpy(text + length, piece, strlen(piece));
            length += strlen(piece);
        }
        size_t expected = slow_strip(text, length, want);
        assert_int_equal(ansi_strip(text, length), expected);
        assert_memory_equal(text, want, expected);
    }
}

/* Quadratic searching would take hours here; ctest's timeout is the judge. */
static void test_many_introducers(void **state)
{
    (void)state;
    static const char *const introducers[] = {E "]", E "P", C1("\x9d"), E "[", E "("};
    size_t length = 8u << 20;
    char *text = malloc(length);

    for (size_t k = 0; k < sizeof(introducers) / sizeof(introducers[0]); k++) {
        size_t bytes = strlen(introducers[k]);
        size_t used = length - length % bytes;
        for (size_t i = 0; i < used; i += bytes)
            memcpy(text + i, introducers[k], bytes);
        assert_true(ansi_strip(text, used) <= used);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_nul_bytes),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_many_introducers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
