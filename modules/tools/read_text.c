/* SPDX-License-Identifier: MIT
 *
 * read_file's answer for text: the page, where it goes on, what a reader should know.
 */
#include "base/str.h"
#include "base/utf8.h"
#include "tools/args.h"
#include "tools/call.h"
#include "tools/page.h"
#include "tools/reading.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define BIG_FILE_BYTES   512000
#define WIDE_RANGE_LINES 200

json_t *reading_failed(const struct reading *reading, int code)
{
    if (code == -ECANCELED || code == -ETIME) {
        return call_stopped_error(code, "Stopped reading", reading->path);
    }
    return tools_error("Failed to read file: %s: %s", reading->path, strerrordesc_np(-code));
}

/* Streams the file through the paginator; bounded memory whatever the size. */
static int page_from_file(struct reading *reading, struct page *page)
{
    _cleanup_free_ unsigned char *block = malloc(READ_BLOCK_BYTES);
    off_t skip = reading->encoding == ENCODING_UTF8_BOM && !reading->raw ? 3 : 0;
    ssize_t length = 0;
    int r = 0;

    if (block == NULL) {
        return -ENOMEM;
    }
    if (lseek(reading->fd, skip, SEEK_SET) < 0) {
        return -errno;
    }
    do {
        r = call_check(reading->call);
        if (r < 0) {
            return r;
        }
        length = read(reading->fd, block, READ_BLOCK_BYTES);
        if (length > 0) {
            page_feed(page, block, (size_t)length);
        }
    } while (length > 0);
    return length < 0 ? -errno : page->error;
}

static void add_hint(struct buf *hint, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_hint(struct buf *hint, const char *format, ...)
{
    va_list args;

    if (hint->length > 0) {
        buf_append(hint, " ", 1);
    }
    va_start(args, format);
    buf_append_vformat(hint, format, args);
    va_end(args);
}

static void reading_hints(const struct reading *reading, const struct page *page, json_t *result)
{
    _cleanup_buf_ struct buf hint = BUF_INIT(4096);
    unsigned long long total = page_total_lines(page), first = page->first;
    unsigned long long last = first - 1 + page->shown;

    if (page->bytes == 0) {
        add_hint(&hint, "The file is empty (0 bytes).");
    } else if (first > total) {
        add_hint(&hint, "offset %llu is past the end: the file has %llu lines.", first, total);
    } else if (page_truncated(page)) {
        add_hint(&hint, "Showing lines %llu-%llu of %llu; continue with offset=%llu.", first, last,
                 total, last + 1);
    }
    if (reading->encoding == ENCODING_UTF16_LE || reading->encoding == ENCODING_UTF16_BE) {
        add_hint(&hint, "Converted from %s.", encoding_name(reading->encoding));
    }
    if (reading->extracted) {
        add_hint(&hint, "Text extracted from a notebook; raw=True gives its JSON.");
    }
    if (hint.length > 0) {
        json_object_set_new(result, "hint", json_text((const char *)hint.data, hint.length));
    }
    if (!reading->raw && page_truncated(page) && reading->status.st_size > BIG_FILE_BYTES &&
        reading->limit > WIDE_RANGE_LINES) {
        json_object_set_new(
            result, "_hint",
            json_string("A large file: a narrower range (offset, limit) reads faster "
                        "and leaves room."));
    }
}

static void reading_store_page(const struct reading *reading, const struct page *page,
                               json_t *result)
{
    bool lines_follow = page_truncated(page);
    bool truncated = lines_follow || page->line_cut;

    json_object_set_new(result, "truncated", json_boolean(truncated));
    if (truncated) {
        json_object_set_new(result, "truncated_by", json_string(page->full ? "bytes" : "lines"));
    }
    if (lines_follow) {
        json_object_set_new(result, "next_offset",
                            json_integer((json_int_t)(page->first + page->shown)));
    }
    if (reading->extracted) {
        json_object_set_new(result, "extracted_document", json_true());
    }
    json_object_set_new(result, "encoding", json_string(encoding_name(reading->encoding)));
    json_object_set_new(result, "line_ending", json_string(page_line_ending(page)));
    reading_hints(reading, page, result);
}

void reading_store_remarks(const struct reading *reading, json_t *result)
{
    args_store_warning(result, &reading->warning);
    if (reading->note.length > 0) {
        json_object_set_new(result, "note",
                            json_text((const char *)reading->note.data, reading->note.length));
    }
}

static json_t *reading_result(struct reading *reading, struct page *page)
{
    const char *content = (const char *)page->out.data;
    bool inexact = reading->encoding == ENCODING_8BIT ||
                   (reading->raw && !utf8_valid(page->out.data, page->out.length));
    uint64_t size = reading->have_text ? (uint64_t)reading->status.st_size : page->bytes;
    json_t *result = NULL;

    if (reading->encoding == ENCODING_UTF8_BOM && !reading->have_text && !reading->raw) {
        size += 3; /* the mark was not fed to the paginator */
    }
    if (inexact) {
        reading->encoding = ENCODING_8BIT;
        args_warn(&reading->warning, "Bytes that are not UTF-8 are shown as U+FFFD; writing this "
                                     "text back would change them (encoding=\"base64\" is exact).");
    }
    if (page->line_cut) {
        args_warn(&reading->warning, "A line longer than %u bytes was cut.", PAGE_RAW_BYTES_MAX);
    }
    result = json_pack("{s:o?, s:I, s:I, s:b, s:b}", "content",
                       json_text(content != NULL ? content : "", page->out.length), "total_lines",
                       (json_int_t)page_total_lines(page), "file_size", (json_int_t)size,
                       "is_binary", 0, "is_image", 0);
    if (result != NULL) {
        reading_store_page(reading, page, result);
        reading_store_remarks(reading, result);
    }
    return result;
}

json_t *reading_text(struct reading *reading)
{
    struct page page __attribute__((cleanup(page_deinit)));
    int r = 0;

    page_init(&page, reading->raw, reading->offset, reading->limit);
    if (reading->have_text) {
        page_feed(&page, reading->text.data, reading->text.length);
        r = page.error;
    } else {
        r = page_from_file(reading, &page);
    }
    if (r < 0) {
        return reading_failed(reading, r);
    }
    page_finish(&page);
    return page.error < 0 ? reading_failed(reading, page.error) : reading_result(reading, &page);
}
