/* SPDX-License-Identifier: MIT
 *
 * Escape sequences: what is left is what was there, in order, and text without any stays as it is.
 */
#include "base/utf8.h"
#include "fuzz.h"
#include "text/ansi.h"

static bool is_subsequence(const char *part, size_t part_size, const uint8_t *whole, size_t size)
{
    size_t found = 0;
    for (size_t i = 0; i < size && found < part_size; i++)
        found += whole[i] == (uint8_t)part[found];
    return found == part_size;
}

static bool may_hold_escapes(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (data[i] == 0x1b || (data[i] >= 0x80 && data[i] <= 0x9f)) /* C1, as UTF-8 or raw */
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = exact_copy(data, size);
    size_t length = ansi_strip(text, size);
    CHECK(length <= size);
    CHECK(is_subsequence(text, length, data, size));
    if (!may_hold_escapes(data, size))
        CHECK(length == size);
    if (utf8_valid(data, size))
        CHECK(utf8_valid(text, length));
    free(text);
    return 0;
}
