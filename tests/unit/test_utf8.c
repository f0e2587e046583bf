/* SPDX-License-Identifier: MIT
 *
 * UTF-8 against an independent decoder (arithmetic on code points instead of byte ranges), over all
 * code points and all sequences up to three bytes.
 */
#include "base/buf.h"
#include "base/utf8.h"
#include "fault.h"
#include "unit.h"

#include <string.h>

/* Bytes of the valid sequence at data, 0 when there is none. */
static int reference_sequence(const unsigned char *data, size_t length)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (length == 0)
        return 0;
    if (data[0] < 0x80)
        return 1;
    int expected = (data[0] & 0xe0) == 0xc0   ? 2
                   : (data[0] & 0xf0) == 0xe0 ? 3
                   : (data[0] & 0xf8) == 0xf0 ? 4
                                              : 0;
    if (expected == 0 || (size_t)expected > length)
        return 0;
    uint32_t code = data[0] & (0x7f >> expected);
    for (int i = 1; i < expected; i++) {
        if ((data[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (data[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < smallest[expected] || surrogate || code > 0x10ffff ? 0 : expected;
}

static size_t encode(uint32_t code, unsigned char out[4])
{
    if (code < 0x80) {
        out[0] = (unsigned char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        out[i] = (unsigned char)(0x80 | (code & 0x3f));
    out[0] = (unsigned char)((0xf00u >> length) | code);
    return length;
}

static void test_all_code_points(void **state)
{
    (void)state;
    unsigned char bytes[4];
    for (uint32_t code = 0; code <= 0x110fff; code++) {
        size_t length = encode(code, bytes);
        bool expected = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
        int sequence = utf8_sequence(bytes, length);
        if (utf8_valid(bytes, length) != expected || sequence != (expected ? (int)length : 0))
            fail_msg("U+%04X", code);
        for (size_t cut = 1; expected && cut < length; cut++) {
            if (utf8_sequence(bytes, cut) != -1 || utf8_valid(bytes, cut))
                fail_msg("U+%04X cut to %zu bytes", code, cut);
        }
    }
}

static void test_all_short_sequences(void **state)
{
    (void)state;
    for (uint32_t word = 0; word < 1u << 24; word++) {
        unsigned char bytes[4] = {word & 0xff, word >> 8 & 0xff, word >> 16, 0x80};
        for (size_t length = bytes[0] >= 0xf0 ? 3 : 1; length <= 4; length++) {
            int sequence = utf8_sequence(bytes, length);
            int expected = reference_sequence(bytes, length);
            if ((sequence > 0 ? sequence : 0) != expected)
                fail_msg("%02x %02x %02x (80), %zu bytes", bytes[0], bytes[1], bytes[2], length);
        }
    }
}

static void test_invalid_byte_at_any_alignment(void **state)
{
    (void)state;
    char text[64];
    for (size_t at = 0; at < sizeof(text); at++) {
        memset(text, 'a', sizeof(text));
        assert_true(utf8_valid(text, sizeof(text)));
        text[at] = (char)0x80;
        assert_false(utf8_valid(text, sizeof(text)));
        assert_true(utf8_valid(text, at));
    }
    assert_true(utf8_valid(NULL, 0));
    assert_true(utf8_valid("a\0b", 3));
}

static void test_floor(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t floor;
    } rows[] = {
        {"", 0},
        {"abc", 3},
        {"ab\xc3", 2},
        {"ab\xc3\xa9", 4},
        {"ab\xe2", 2},
        {"ab\xe2\x82", 2},
        {"ab\xe2\x82\xac", 5},
        {"ab\xf0", 2},
        {"ab\xf0\x9f", 2},
        {"ab\xf0\x9f\x90", 2},
        {"ab\xf0\x9f\x90\x8d", 6},
        {"\xf0\x9f\x90", 0},
        {"\x80\x80\x80\x80\x80", 5}, /* nobody's continuation: each byte stands alone */
        {"ab\x80\x80", 4},
        {"ab\xff", 3},
        {"ab\xc0", 3},     /* never begins a character */
        {"ab\xe0\x80", 4}, /* overlong: no prefix of anything */
        {"ab\xed\xa0", 4}, /* surrogate */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t length = strlen(rows[i].bytes);
        if (utf8_floor(rows[i].bytes, length) != rows[i].floor)
            fail_msg("row %zu", i);
    }
}

static void test_skip_continuation(void **state)
{
    (void)state;
    assert_int_equal(utf8_skip_continuation("", 0), 0);
    assert_int_equal(utf8_skip_continuation("abc", 3), 0);
    assert_int_equal(utf8_skip_continuation("\xa9"
                                            "bc",
                                            3),
                     1);
    assert_int_equal(utf8_skip_continuation("\x9f\x90\x8d"
                                            "c",
                                            4),
                     3);
    assert_int_equal(utf8_skip_continuation("\x80\x80\x80\x80\x80", 5), 3);
    assert_int_equal(utf8_skip_continuation("\x80", 1), 1);
}

#define R "\xef\xbf\xbd"

/* Expectations made with bytes.decode("utf-8", "replace") of Python 3.11. */
static const struct {
    const char *bytes, *replaced;
} replacements[] = {
    {"", ""},
    {"plain", "plain"},
    {"\xc3\xa9", "\xc3\xa9"},
    {"a\xff"
     "b",
     "a" R "b"},
    {"\xff\xfe", R R},
    {"\xc3", R},
    {"\xc3(", R "("},
    {"\xe2\x82", R},
    {"\xe2\x82(", R "("},
    {"\xe2(", R "("},
    {"\xf0\x9f\x90", R},
    {"\xf0\x9f\x90x", R "x"},
    {"\xf0\x9f\xff", R R},
    {"\xf0\x80\x80\x80", R R R R},
    {"\xed\xa0\x80", R R R}, /* lone surrogate */
    {"\xed\xa0\xbd\xed\xb0\x8d", R R R R R R},
    {"\xc0\xaf", R R},
    {"\xe0\x80\xaf", R R R},
    {"\xf4\x90\x80\x80", R R R R},
    {"\xf5\x80\x80\x80", R R R R},
    {"\x80\xbf", R R},
    {"\xe2\x82\xe2\x82\xac", R "\xe2\x82\xac"},
    {"\xf0\xf0\x9f\x90\x8d", R "\xf0\x9f\x90\x8d"},
};

static void test_replacement_is_pythons(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(replacements); i++) {
        size_t length = strlen(replacements[i].bytes), expected = strlen(replacements[i].replaced);
        _cleanup_buf_ struct buf buf = BUF_INIT(0);
        assert_int_equal(utf8_append_replaced(&buf, replacements[i].bytes, length), 0);
        char fixed[64];
        size_t copied = utf8_copy_replaced(fixed, sizeof(fixed), replacements[i].bytes, length);
        if (buf.length != expected || copied != expected ||
            memcmp(fixed, replacements[i].replaced, expected + 1) != 0 ||
            (expected && memcmp(buf.data, fixed, expected) != 0))
            fail_msg("row %zu", i);
    }
}

static void test_replacement_respects_limits(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf buf = BUF_INIT(5);
    assert_int_not_equal(utf8_append_replaced(&buf, "abc\xff", 4), 0);
    assert_true(buf.length <= 5);
    char text[6];
    assert_int_equal(utf8_copy_replaced(text, sizeof(text), "abc\xff", 4), 3);
    assert_string_equal(text, "abc");
    assert_int_equal(utf8_copy_replaced(text, sizeof(text), "ab\xff", 3), 5);
    assert_int_equal(utf8_copy_replaced(text, sizeof(text), "abcd\xc3\xa9", 6), 4);
    assert_int_equal(utf8_copy_replaced(text, 1, "abc", 3), 0);
    assert_string_equal(text, "");
}

static int scenario(void)
{
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    int rc = 0;
    for (int i = 0; i < 100 && rc == 0; i++)
        rc = utf8_append_replaced(&buf, "some text \xe2\x82 more \xff", 18);
    return rc;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    fault_sweep(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_code_points),
        cmocka_unit_test(test_all_short_sequences),
        cmocka_unit_test(test_invalid_byte_at_any_alignment),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_skip_continuation),
        cmocka_unit_test(test_replacement_is_pythons),
        cmocka_unit_test(test_replacement_respects_limits),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
