/* SPDX-License-Identifier: MIT
 *
 * Error objects: codes travel without an object, text is one valid sentence whatever went in.
 */
#include "base/err.h"
#include "base/utf8.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

static void test_code_travels_without_an_object(void **state)
{
    (void)state;
    assert_int_equal(err_set(NULL, -EPERM, "nobody reads %s", "this"), -EPERM);
    assert_int_equal(err_errno(NULL, -EPERM, "nor this"), -EPERM);
    assert_int_equal(err_context(NULL, "nor this"), 0);
}

static void test_set(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(err.code, 0);
    assert_int_equal(err_set(&err, -ENOENT, "no tool %s", "grep"), -ENOENT);
    assert_int_equal(err.code, -ENOENT);
    assert_string_equal(err.text, "no tool grep");
}

static void test_errno_says_the_words(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(err_errno(&err, -ENOENT, "open %s", "/x"), -ENOENT);
    assert_string_equal(err.text, "open /x: No such file or directory");
    err_errno(&err, -99999, "odd");
    assert_string_equal(err.text, "odd: error 99999");
}

static void test_context_goes_before(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    err_set(&err, -EIO, "inner");
    assert_int_equal(err_context(&err, "run %d", 7), -EIO);
    assert_string_equal(err.text, "run 7: inner");
}

static void test_text_may_be_its_own_argument(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    err_set(&err, -EIO, "inner");
    err_set(&err, -EPERM, "outer (%s)", err.text);
    assert_string_equal(err.text, "outer (inner)");
    err_context(&err, "%s", err.text);
    assert_string_equal(err.text, "outer (inner): outer (inner)");
}

static void test_newlines_at_the_end_are_dropped(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    err_set(&err, -EIO, "one\ntwo\r\n\n");
    assert_string_equal(err.text, "one\ntwo");
    err_set(&err, -EIO, "\n");
    assert_string_equal(err.text, "");
}

static void test_foreign_bytes_become_valid(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    err_set(&err, -EIO, "bad \xff\xc3 name");
    assert_string_equal(err.text, "bad \xef\xbf\xbd\xef\xbf\xbd name");
}

static void test_long_text_is_cut_between_characters(void **state)
{
    (void)state;
    char many[3 * ERR_TEXT_BYTES];
    for (size_t shift = 0; shift < 4; shift++) {
        size_t length = shift;
        memset(many, 'x', shift);
        while (length + 4 < sizeof(many)) {
            memcpy(many + length, "\xf0\x9f\x90\x8d", 4);
            length += 4;
        }
        many[length] = '\0';
        struct err err = ERR_INIT;
        err_set(&err, -EIO, "%s", many);
        size_t kept = strlen(err.text);
        assert_true(kept < ERR_TEXT_BYTES && kept > ERR_TEXT_BYTES - 8);
        assert_true(utf8_valid(err.text, kept));
        err_context(&err, "%s", many);
        assert_true(utf8_valid(err.text, strlen(err.text)));
        err_errno(&err, -EIO, "%s", many);
        assert_true(utf8_valid(err.text, strlen(err.text)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_code_travels_without_an_object),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_errno_says_the_words),
        cmocka_unit_test(test_context_goes_before),
        cmocka_unit_test(test_text_may_be_its_own_argument),
        cmocka_unit_test(test_newlines_at_the_end_are_dropped),
        cmocka_unit_test(test_foreign_bytes_become_valid),
        cmocka_unit_test(test_long_text_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
