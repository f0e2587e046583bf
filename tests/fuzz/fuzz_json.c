/* SPDX-License-Identifier: MIT
 *
 * JSON: what was parsed can be written and parsed again to the same value; any bytes can be written
 * as a string.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "fuzz.h"

static void value_check(const char *text, size_t size, size_t depth_max)
{
    struct err err = ERR_INIT;
    _cleanup_json_ json_t *json = json_parse(text, size, depth_max, &err);
    CHECK((json == NULL) == (err.code != 0));
    CHECK(utf8_valid(err.text, strlen(err.text)));
    if (!json)
        return;
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    CHECK(json_append(&buf, json) == 0);
    _cleanup_json_ json_t *again = json_parse((const char *)buf.data, buf.length, depth_max, NULL);
    CHECK(again && json_equal(json, again));
}

static void string_check(const char *text, size_t size)
{
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    CHECK(json_append_string(&buf, text, size) == 0);
    _cleanup_json_ json_t *parsed = json_parse((const char *)buf.data, buf.length, 0, NULL);
    _cleanup_json_ json_t *direct = json_text(text, size);
    CHECK(parsed && direct && json_equal(parsed, direct));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = exact_copy(data, size);
    value_check(text, size, JSON_DEPTH_MAX);
    value_check(text, size, 2);
    string_check(text, size);
    free(text);
    return 0;
}
