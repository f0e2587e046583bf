/* SPDX-License-Identifier: MIT
 *
 * Byte strings through JSON and back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

static void every_byte_string_comes_back(void **state)
{
    static const char *const texts[] = {"",          "plain", "100%",         "%41", "\xff\xfe",
                                        "h\xc3\xa9", "a\xc3", "\xed\xa0\x80", "%",   "x%2"};
    char all[256];

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *json = bytes_to_json(texts[i]);
        char *back = bytes_from_json(json);

        assert_string_equal(back, texts[i]);
        free(back);
        json_decref(json);
    }
    for (int i = 1; i < 256; i++)
        all[i - 1] = (char)i;
    all[255] = '\0';
    json_t *json = bytes_to_json(all);
    char *back = bytes_from_json(json);
    assert_string_equal(back, all);
    free(back);
    json_decref(json);
}

static void utf8_stays_readable(void **state)
{
    json_t *json = bytes_to_json("/home/h\xc3\xa9/\xff");

    (void)state;
    assert_string_equal(json_string_value(json), "/home/h\xc3\xa9/%FF");
    json_decref(json);
}

static void what_is_no_byte_string(void **state)
{
    static const char *const texts[] = {"%", "%4", "%4g", "%00", "a%", "%zz"};
    json_t *json = json_integer(1);

    (void)state;
    assert_null(bytes_from_json(json));
    assert_null(bytes_from_json(NULL));
    json_decref(json);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json = json_string(texts[i]);
        assert_null(bytes_from_json(json));
        json_decref(json);
    }
    json = json_stringn("a\0b", 3);
    assert_null(bytes_from_json(json));
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_string_comes_back),
        cmocka_unit_test(utf8_stays_readable),
        cmocka_unit_test(what_is_no_byte_string),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
