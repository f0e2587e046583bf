/* SPDX-License-Identifier: MIT
 *
 * UTF-8: validity, cuts and replacement agree with each other on any bytes.
 */
#include "base/buf.h"
#include "base/utf8.h"
#include "fuzz.h"

static bool valid_by_sequences(const uint8_t *data, size_t size)
{
    for (size_t n = 0; n < size;) {
        int sequence = utf8_sequence(data + n, size - n);
        if (sequence <= 0)
            return false;
        n += (size_t)sequence;
    }
    return true;
}

static void cuts_check(const uint8_t *data, size_t size, bool valid)
{
    size_t floor = utf8_floor(data, size), skip = utf8_skip_continuation(data, size);
    CHECK(floor <= size && size - floor <= 3);
    CHECK(skip <= size && skip <= 3);
    for (size_t n = 0; valid && n <= size; n++) {
        size_t cut = utf8_floor(data, n);
        CHECK(utf8_valid(data, cut) && utf8_floor(data, cut) == cut);
        size_t start = n + utf8_skip_continuation(data + n, size - n);
        CHECK(utf8_valid(data + start, size - start));
    }
}

static void replacement_check(const uint8_t *data, size_t size, bool valid)
{
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    CHECK(utf8_append_replaced(&buf, data, size) == 0);
    CHECK(utf8_valid(buf.data, buf.length));
    CHECK(buf.length >= size / 3 && buf.length <= size * 3);
    if (valid)
        CHECK(buf.length == size && (size == 0 || memcmp(buf.data, data, size) == 0));
    for (size_t room = 1; room < 12; room++) {
        char *fixed = malloc(room);
        CHECK(fixed);
        size_t copied = utf8_copy_replaced(fixed, room, data, size);
        CHECK(copied < room && fixed[copied] == '\0' && utf8_valid(fixed, copied));
        CHECK(copied <= buf.length && (copied == 0 || memcmp(fixed, buf.data, copied) == 0));
        free(fixed);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool valid = utf8_valid(data, size);
    CHECK(valid == valid_by_sequences(data, size));
    cuts_check(data, size, valid);
    replacement_check(data, size, valid);
    return 0;
}
