/* SPDX-License-Identifier: MIT
 *
 * Head and tail against a model that simply keeps the whole stream.
 */
#include "fail_alloc.h"

#include "base/utf8.h"
#include "text/headtail.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const struct headtail *ht, const char *text, uint64_t captured, uint64_t omitted)
{
    struct buf out = BUF_INIT(0);
    struct headtail_counts counts;

    assert_int_equal(headtail_render(ht, &out, &counts), 0);
    assert_int_equal(counts.captured, captured);
    assert_int_equal(counts.omitted, omitted);
    assert_int_equal(counts.total, captured + omitted);
    assert_int_equal(counts.truncated, omitted > 0);
    assert_int_equal(out.length, strlen(text));
    assert_memory_equal(out.data ? (const char *)out.data : "", text, out.length);
    buf_deinit(&out);
}

static void expect_text(size_t limit, const char *input, const char *text, uint64_t captured,
                        uint64_t omitted)
{
    struct headtail ht;

    headtail_init(&ht, limit);
    headtail_append(&ht, input, strlen(input));
    expect(&ht, text, captured, omitted);
    headtail_deinit(&ht);

    headtail_init(&ht, limit); /* the same byte by byte */
    for (const char *p = input; *p; p++)
        headtail_append(&ht, p, 1);
    expect(&ht, text, captured, omitted);
    headtail_deinit(&ht);
}

static void test_small(void **state)
{
    (void)state;
    expect_text(10, "", "", 0, 0);
    expect_text(10, "abcd", "abcd", 4, 0);
    expect_text(10, "abcdefghij", "abcdefghij", 10, 0);
    expect_text(10, "abcdefghijk", "abcd\n\n[OUTPUT TRUNCATED: 1 of 11 bytes omitted]\n\nfghijk",
                10, 1);
    expect_text(1, "ab", "\n\n[OUTPUT TRUNCATED: 1 of 2 bytes omitted]\n\nb", 1, 1);
    expect_text(0, "no limit at all", "no limit at all", 15, 0);
}

static void test_default_boundary(void **state)
{
    (void)state;
    struct headtail_counts counts;
    char *text = malloc(50001);
    for (size_t i = 0; i < 50001; i++)
        text[i] = (char)('a' + i % 26);

    for (size_t length = 49999; length <= 50001; length++) {
        struct headtail ht;
        struct buf out = BUF_INIT(0);
        headtail_init(&ht, 50000);
        headtail_append(&ht, text, length);
        assert_int_equal(headtail_render(&ht, &out, &counts), 0);
        assert_int_equal(counts.truncated, length > 50000);
        assert_int_equal(counts.omitted, length > 50000 ? 1 : 0);
        assert_int_equal(counts.captured, length > 50000 ? 50000 : length);
        if (length > 50000) {
            assert_memory_equal(out.data, text, 20000);
            assert_memory_equal(out.data + 20000, "\n\n[OUTPUT TRUNCATED: 1 of 50001 ", 30);
            assert_memory_equal(out.data + out.length - 30000, text + 20001, 30000);
        } else {
            assert_int_equal(out.length, length);
            assert_memory_equal(out.data, text, length);
        }
        buf_deinit(&out);
        headtail_deinit(&ht);
    }
    free(text);
}

static void test_head_only(void **state)
{
    (void)state;
    struct headtail ht;

    headtail_init_head(&ht, 5);
    headtail_append(&ht, "abcde", 5);
    expect(&ht, "abcde", 5, 0);
    headtail_append(&ht, "fgh", 3);
    expect(&ht, "abcde\n\n[OUTPUT TRUNCATED: 3 of 8 bytes omitted]\n", 5, 3);
    headtail_deinit(&ht);
}

static void test_cut_inside_characters(void **state)
{
    (void)state;
    /* "ab" + 5 x U+20AC (3 bytes each) = 17 bytes; head "ab" + 2 bytes of the first, tail 6 bytes =
     * the last two, whole. */
    expect_text(10, "ab€€€€€", "ab\n\n[OUTPUT TRUNCATED: 9 of 17 bytes omitted]\n\n€€", 8, 9);
    /* One byte more at the end: the tail begins with the last byte of a character. */
    expect_text(10, "ab€€€€€z", "ab\n\n[OUTPUT TRUNCATED: 12 of 18 bytes omitted]\n\n€z", 6, 12);
    /* A character across head and tail that is not cut at all stays whole. */
    expect_text(10, "abc€defg", "abc€defg", 10, 0);
}

static void test_two_byte_characters(void **state)
{
    (void)state;
    struct headtail ht;
    struct buf out = BUF_INIT(0);
    struct headtail_counts counts;

    headtail_init(&ht, 50000);
    headtail_append(&ht, "x", 1);
    for (int i = 0; i < 40000; i++)
        headtail_append(&ht, "é", 2);
    assert_int_equal(headtail_render(&ht, &out, &counts), 0);
    assert_true(utf8_valid(out.data, out.length));
    assert_null(memmem(out.data, out.length, "\xef\xbf\xbd", 3));
    assert_int_equal(counts.total, 80001);
    assert_int_equal(counts.captured, 19999 + 30000);
    assert_int_equal(counts.omitted, 80001 - 49999);
    buf_deinit(&out);
    headtail_deinit(&ht);
}

static void test_binary(void **state)
{
    (void)state;
    struct headtail ht;

    headtail_init(&ht, 100);
    headtail_append(&ht, "a\xff\0b", 4);
    struct buf out = BUF_INIT(0);
    struct headtail_counts counts;
    assert_int_equal(headtail_render(&ht, &out, &counts), 0);
    assert_int_equal(out.length, 6);
    assert_memory_equal(out.data, "a\xef\xbf\xbd\0b", 6);
    assert_int_equal(counts.captured, 4);
    buf_deinit(&out);
    headtail_deinit(&ht);
}

/* ---- the model ----------------------------------------------------------------------------------
 */

static void model_render(const unsigned char *all, size_t total, size_t limit, bool head_only,
                         struct buf *out, uint64_t *ret_captured)
{
    if (limit == 0 || total <= limit) {
        *ret_captured = total;
        assert_int_equal(utf8_append_replaced(out, all, total), 0);
        return;
    }
    size_t head = head_only ? limit : limit * 2 / 5, tail = limit - head;
    const unsigned char *end = all + total - tail;
    head = utf8_floor(all, head);
    size_t skip = utf8_skip_continuation(end, tail);
    *ret_captured = head + tail - skip;
    assert_int_equal(utf8_append_replaced(out, all, head), 0);
    assert_int_equal(buf_append_format(out, "\n\n[OUTPUT TRUNCATED: %zu of %zu bytes omitted]\n%s",
                                       total - (size_t)*ret_captured, total,
                                       tail > skip ? "\n" : ""),
                     0);
    assert_int_equal(utf8_append_replaced(out, end + skip, tail - skip), 0);
}

static size_t text_random(unsigned char *text, size_t size)
{
    static const char *const pieces[] = {"a", "é", "€", "😀", "\n", "\x80", "\xff", "\xe2\x82"};
    size_t length = 0, wanted = (size_t)rand() % size;

    while (length < wanted) {
        const char *piece = pieces[(size_t)rand() % (sizeof(pieces) / sizeof(pieces[0]))];
        size_t bytes = strlen(piece);
        if (length + bytes > size)
            break;
        memcpy(text + length, piece, bytes);
        length += bytes;
    }
    return length;
}

static void compare_once(void)
{
    unsigned char text[400];
    size_t total = text_random(text, sizeof(text)), limit = (size_t)rand() % 120;
    bool head_only = rand() % 4 == 0;
    struct headtail ht;
    struct buf got = BUF_INIT(0), want = BUF_INIT(0);
    struct headtail_counts counts;
    uint64_t captured;

    if (head_only)
        headtail_init_head(&ht, limit);
    else
        headtail_init(&ht, limit);
    for (size_t at = 0; at < total;) {
        size_t step = (size_t)rand() % (rand() % 2 ? 4 : 200);
        if (step > total - at)
            step = total - at;
        headtail_append(&ht, text + at, step);
        at += step;
    }
    assert_int_equal(headtail_render(&ht, &got, &counts), 0);
    model_render(text, total, limit, head_only, &want, &captured);
    assert_int_equal(counts.captured, captured);
    assert_int_equal(counts.total, total);
    assert_int_equal(counts.omitted, total - captured);
    assert_int_equal(got.length, want.length);
    if (want.length > 0)
        assert_memory_equal(got.data, want.data, want.length);
    buf_deinit(&got);
    buf_deinit(&want);
    headtail_deinit(&ht);
}

static void test_model(void **state)
{
    (void)state;
    srand(20240);
    for (int i = 0; i < 20000; i++)
        compare_once();
}

/* The ring grows in steps of a page and more: wrap it at a size that is no power of two. */
static void test_model_large(void **state)
{
    (void)state;
    enum { LIMIT = 30011, TOTAL = 200003 };
    unsigned char *all = malloc(TOTAL);
    struct headtail ht;
    struct buf got = BUF_INIT(0), want = BUF_INIT(0);
    struct headtail_counts counts;
    uint64_t captured;

    for (size_t i = 0; i < TOTAL; i++)
        all[i] = (unsigned char)(i % 251 < 128 ? i % 251 : i % 61 + 32);
    headtail_init(&ht, LIMIT);
    for (size_t at = 0, step; at < TOTAL; at += step) {
        step = (at * 7 + 13) % 5003;
        step = step > TOTAL - at ? TOTAL - at : step;
        headtail_append(&ht, all + at, step);
        if (step == 0)
            step = 1, headtail_append(&ht, all + at, 1);
    }
    assert_int_equal(headtail_render(&ht, &got, &counts), 0);
    model_render(all, TOTAL, LIMIT, false, &want, &captured);
    assert_int_equal(counts.captured, captured);
    assert_int_equal(got.length, want.length);
    assert_memory_equal(got.data, want.data, want.length);
    buf_deinit(&got);
    buf_deinit(&want);
    headtail_deinit(&ht);
    free(all);
}

/* Ten GiB in counts, a few pages in memory. */
static void test_memory_bounded(void **state)
{
    (void)state;
    struct headtail ht;
    struct buf out = BUF_INIT(0);
    struct headtail_counts counts;
    size_t chunk = 8u << 20;
    char *data = calloc(1, chunk);

    headtail_init(&ht, 50000);
    for (int i = 0; i < 1280; i++)
        headtail_append(&ht, data, chunk);
    assert_int_equal(ht.total, 10ull << 30);
    assert_true(ht.head.capacity <= 40000);
    assert_int_equal(ht.tail_capacity, 30000);
    assert_int_equal(headtail_render(&ht, &out, &counts), 0);
    assert_int_equal(counts.captured, 50000);
    assert_int_equal(counts.omitted, (10ull << 30) - 50000);
    buf_deinit(&out);
    headtail_deinit(&ht);
    free(data);

    headtail_init(&ht, SIZE_MAX); /* a silly limit costs nothing by itself */
    headtail_append(&ht, "abc", 3);
    expect(&ht, "abc", 3, 0);
    assert_true(ht.head.capacity < 65536);
    headtail_deinit(&ht);
}

/* What was kept before memory ran out is still the start of the stream, and the counts say so. */
static void no_memory_once(void)
{
    struct headtail ht;
    struct buf out = BUF_INIT(0);
    struct headtail_counts counts;
    enum { LENGTH = 20001 };
    char text[LENGTH + 1]; /* snprintf's NUL */

    for (size_t i = 0; i < LENGTH; i += 3) /* U+3000 ...: three bytes each */
        snprintf(text + i, 4, "\xe3%c%c", (int)(0x80 + i / 64 % 64), (int)(0x80 + i % 64));
    headtail_init(&ht, 15000);
    for (size_t at = 0; at < LENGTH; at += 100)
        headtail_append(&ht, text + at, at + 100 > LENGTH ? LENGTH - at : 100);
    assert_int_equal(ht.total, LENGTH);
    if (ht.failed) {
        fail_alloc_stop();
        assert_int_equal(headtail_render(&ht, &out, &counts), 0);
        assert_int_equal(counts.captured + counts.omitted, LENGTH);
        assert_true(counts.truncated);
        assert_int_equal(counts.captured % 3, 0); /* no character was split */
        if (counts.captured > 0)
            assert_memory_equal(out.data, text, counts.captured);
        assert_non_null(memmem(out.data, out.length, "TRUNCATED", 9));
    } else {
        int r = headtail_render(&ht, &out, &counts);
        assert_true(r == 0 || r == -ENOMEM);
    }
    buf_deinit(&out);
    headtail_deinit(&ht);
}

static void test_no_memory(void **state)
{
    (void)state;
    FAIL_EACH_ALLOC(no_memory_once());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_default_boundary),
        cmocka_unit_test(test_head_only),
        cmocka_unit_test(test_cut_inside_characters),
        cmocka_unit_test(test_two_byte_characters),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_model_large),
        cmocka_unit_test(test_memory_bounded),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
