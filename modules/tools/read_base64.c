/* SPDX-License-Identifier: MIT
 *
 * read_file(encoding="base64"): the bytes of any regular file.
 */
#include "base/str.h"
#include "tools/base64.h"
#include "tools/call.h"
#include "tools/filetype.h"
#include "tools/reading.h"

#include <errno.h>
#include <unistd.h>

#define BASE64_BYTES_MAX (32u * 1024u * 1024u)

static int append_base64_file(struct reading *reading, struct buf *out, uint64_t *ret_bytes)
{
    _cleanup_free_ unsigned char *block = malloc(READ_BLOCK_BYTES);
    size_t have = 0;
    ssize_t length = 1;
    int r = block != NULL ? 0 : -ENOMEM;

    while (r == 0 && length > 0) {
        r = call_check(reading->call);
        if (r < 0) {
            return r;
        }
        length = read(reading->fd, block + have, READ_BLOCK_BYTES - have);
        if (length < 0) {
            return -errno; /* no EINTR: no signal has a handler in this process */
        }
        have += (size_t)length;
        if (have == READ_BLOCK_BYTES || length == 0) {
            *ret_bytes += have;
            r = *ret_bytes > BASE64_BYTES_MAX ? -EMSGSIZE : base64_append(out, block, have);
            have = 0;
        }
    }
    return r;
}

json_t *reading_base64(struct reading *reading)
{
    _cleanup_buf_ struct buf out = BUF_INIT(0);
    unsigned char sample[ENCODING_SAMPLE_BYTES];
    ssize_t length = pread(reading->fd, sample, sizeof(sample), 0);
    uint64_t bytes = 0;
    int r = length < 0 ? -errno : append_base64_file(reading, &out, &bytes);
    json_t *result = NULL;

    if (r == -EMSGSIZE) {
        return tools_error(
            "Cannot read %s: larger than the %u MiB that encoding=\"base64\" carries; "
            "open() or terminal() can read it in parts",
            reading->path, BASE64_BYTES_MAX >> 20);
    }
    if (r < 0) {
        return reading_failed(reading, r);
    }
    result = json_pack(
        "{s:o?, s:n, s:I, s:b, s:b, s:b, s:s}", "content",
        json_stringn_nocheck(out.data != NULL ? (const char *)out.data : "", out.length),
        "total_lines", "file_size", (json_int_t)bytes, "is_binary",
        encoding_detect(sample, (size_t)length, (uint64_t)length == bytes) == ENCODING_BINARY,
        "is_image", filetype_is_image_name(reading->path), "truncated", 0, "encoding", "base64");
    if (result != NULL) {
        reading_store_remarks(reading, result);
    }
    return result;
}
