/* SPDX-License-Identifier: MIT
 *
 * Head and tail: the first byte is the limit, the second the size of the pieces. How a stream is
 * cut must not matter, counts must add up, and what comes out is always text.
 */
#include "base/utf8.h"
#include "fuzz.h"
#include "text/headtail.h"

static void feed(struct headtail *ht, const uint8_t *data, size_t size, size_t piece)
{
    for (size_t at = 0; at < size; at += piece)
        headtail_append(ht, data + at, size - at < piece ? size - at : piece);
}

static void render_check(const uint8_t *data, size_t size, size_t limit, size_t piece,
                         void (*init)(struct headtail *, size_t))
{
    struct headtail whole, pieces;
    struct headtail_counts a = {0}, b = {0};
    _cleanup_buf_ struct buf from_whole = BUF_INIT(0), from_pieces = BUF_INIT(0);
    init(&whole, limit);
    init(&pieces, limit);
    headtail_append(&whole, data, size);
    feed(&pieces, data, size, piece);
    CHECK(headtail_render(&whole, &from_whole, &a) == 0);
    CHECK(headtail_render(&pieces, &from_pieces, &b) == 0);
    CHECK(a.total == size && a.captured + a.omitted == a.total);
    CHECK(a.truncated == (a.omitted > 0));
    CHECK(limit == 0 ? !a.truncated : a.captured <= limit);
    CHECK(size > limit || !a.truncated);
    CHECK(a.total == b.total && a.captured == b.captured && a.truncated == b.truncated);
    CHECK(utf8_valid(from_whole.data, from_whole.length));
    CHECK(from_whole.length == from_pieces.length);
    CHECK(!from_whole.length || memcmp(from_whole.data, from_pieces.data, from_whole.length) == 0);
    _cleanup_buf_ struct buf everything = BUF_INIT(0);
    CHECK(utf8_append_replaced(&everything, data, size) == 0);
    if (!a.truncated)
        CHECK(everything.length == from_whole.length &&
              (!everything.length ||
               memcmp(everything.data, from_whole.data, everything.length) == 0));
    headtail_deinit(&whole);
    headtail_deinit(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t limit = data[0], piece = (size_t)data[1] + 1;
    render_check(data + 2, size - 2, limit, piece, headtail_init);
    render_check(data + 2, size - 2, limit, piece, headtail_init_head);
    return 0;
}
