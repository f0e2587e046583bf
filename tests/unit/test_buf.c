/* SPDX-License-Identifier: MIT
 *
 * The buffer: limits hold to the byte, a refused append changes nothing, memory running out
 * neither.
 */
#include "base/buf.h"
#include "fault.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

static void test_appends_and_grows(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    assert_null(buf.data);
    for (int i = 0; i < 100000; i++)
        assert_int_equal(buf_append(&buf, "abc", 3), 0);
    assert_int_equal(buf.length, 300000);
    for (size_t i = 0; i < buf.length; i++)
        assert_int_equal(buf.data[i], "abc"[i % 3]);
}

static void test_empty_append_needs_no_memory(void **state)
{
    (void)state;
    struct buf buf = BUF_INIT(4);
    assert_int_equal(buf_append(&buf, NULL, 0), 0);
    assert_int_equal(buf_append_text(&buf, ""), 0);
    assert_null(buf.data);
}

static void test_limit_holds_to_the_byte(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf buf = BUF_INIT(10);
    assert_int_equal(buf_append(&buf, "123456", 6), 0);
    assert_int_equal(buf_append(&buf, "78901", 5), -EMSGSIZE);
    assert_int_equal(buf.length, 6);
    assert_int_equal(buf_append(&buf, "7890", 4), 0);
    assert_int_equal(buf.length, 10);
    assert_true(buf.capacity <= 10);
    assert_int_equal(buf_append(&buf, "x", 1), -EMSGSIZE);
    assert_memory_equal(buf.data, "1234567890", 10);
}

static void test_huge_lengths_are_refused_before_they_add_up(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    assert_int_equal(buf_append(&buf, "x", 1), 0);
    assert_int_equal(buf_reserve(&buf, SIZE_MAX), -EMSGSIZE);
    assert_int_equal(buf_reserve(&buf, SIZE_MAX - 1), -EMSGSIZE);
    assert_int_equal(buf_reserve(&buf, SIZE_MAX / 2), -EMSGSIZE);
    struct buf capped = BUF_INIT(100);
    assert_int_equal(buf_reserve(&capped, SIZE_MAX), -EMSGSIZE);
    assert_int_equal(buf_reserve(&capped, 101), -EMSGSIZE);
    assert_null(capped.data);
}

static void test_reserve_is_exact_for_large_frames(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    assert_int_equal(buf_reserve(&buf, 1 << 20), 0);
    assert_int_equal(buf.capacity, 1 << 20);
    unsigned char *before = buf.data;
    assert_int_equal(buf_reserve(&buf, 1 << 20), 0);
    assert_ptr_equal(buf.data, before);
}

static void test_format(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf buf = BUF_INIT(10);
    assert_int_equal(buf_append_format(&buf, "%d-%s", 12, "ab"), 0);
    assert_int_equal(buf.length, 5);
    assert_int_equal(buf_append_format(&buf, "%s", "123456"), -EMSGSIZE);
    assert_int_equal(buf.length, 5);
    assert_int_equal(buf_append_format(&buf, "%s", "12345"), 0); /* the NUL does not count */
    assert_memory_equal(buf.data, "12-ab12345", 10);
    assert_int_equal(buf_append_format(&buf, "%s", ""), 0);
}

static void test_consume(void **state)
{
    (void)state;
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    buf_consume(&buf, 0);
    buf_consume(&buf, 5);
    buf_append_text(&buf, "abcdef");
    buf_consume(&buf, 0);
    assert_int_equal(buf.length, 6);
    buf_consume(&buf, 2);
    assert_int_equal(buf.length, 4);
    assert_memory_equal(buf.data, "cdef", 4);
    buf_consume(&buf, 100);
    assert_int_equal(buf.length, 0);
}

static void test_clear_keeps_memory_and_deinit_works_twice(void **state)
{
    (void)state;
    struct buf buf;
    buf_init(&buf, 77);
    buf_append_text(&buf, "abc");
    size_t capacity = buf.capacity;
    buf_clear(&buf);
    assert_int_equal(buf.length, 0);
    assert_int_equal(buf.capacity, capacity);
    buf_deinit(&buf);
    buf_deinit(&buf);
    assert_null(buf.data);
    assert_int_equal(buf.limit, 77);
    assert_int_equal(buf_append_text(&buf, "again"), 0);
    buf_deinit(&buf);
}

static void test_steal_terminates_and_empties(void **state)
{
    (void)state;
    struct buf buf = BUF_INIT(4);
    buf_append(&buf, "a\0bc", 4); /* full to its limit: the NUL still has a place */
    size_t length;
    char *text = buf_steal_text(&buf, &length);
    assert_int_equal(length, 4);
    assert_memory_equal(text, "a\0bc", 5);
    free(text);
    assert_null(buf.data);
    text = buf_steal_text(&buf, NULL);
    assert_string_equal(text, "");
    free(text);
}

static int scenario(void)
{
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    size_t length = 0;
    for (int i = 0; i < 40; i++) {
        int rc = i % 2 ? buf_append_format(&buf, "%50d", i) : buf_append(&buf, "0123456789", 10);
        assert_int_equal(buf.length, rc < 0 ? length : length + (i % 2 ? 50 : 10));
        length = buf.length;
        if (rc < 0)
            return rc;
    }
    char *text = buf_steal_text(&buf, NULL);
    char *empty = text ? buf_steal_text(&buf, NULL) : NULL;
    int rc = empty ? 0 : -ENOMEM;
    free(text);
    free(empty);
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
        cmocka_unit_test(test_appends_and_grows),
        cmocka_unit_test(test_empty_append_needs_no_memory),
        cmocka_unit_test(test_limit_holds_to_the_byte),
        cmocka_unit_test(test_huge_lengths_are_refused_before_they_add_up),
        cmocka_unit_test(test_reserve_is_exact_for_large_frames),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_consume),
        cmocka_unit_test(test_clear_keeps_memory_and_deinit_works_twice),
        cmocka_unit_test(test_steal_terminates_and_empties),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
