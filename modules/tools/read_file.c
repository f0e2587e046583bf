/* SPDX-License-Identifier: MIT
 *
 * The tool read_file: a page of numbered lines, or with raw=True the exact text, or with
 * encoding="base64" the bytes. A script always gets content: no "unchanged" answers, no loop
 * guards.
 */
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tools/args.h"
#include "tools/base64.h"
#include "tools/call.h"
#include "tools/encoding.h"
#include "tools/filetype.h"
#include "tools/handlers.h"
#include "tools/notebook.h"
#include "tools/page.h"
#include "tools/path.h"
#include "tools/path_rules.h"
#include "tools/read_missing.h"

#include <errno.h>
#include <string.h>

#define LIMIT_DEFAULT    500
#define LIMIT_MAX        2000
#define BLOCK_BYTES      (192u * 1024u) /* a multiple of three, for base64 */
#define BASE64_BYTES_MAX (32u * 1024u * 1024u)
#define UTF16_BYTES_MAX  (10u * 1024u * 1024u)
#define BIG_FILE_BYTES   512000
#define WIDE_RANGE_LINES 200

/* One request, from arguments to result. */
struct reading {
    struct tool_call *call;
    const char *path; /* as the script spelled it */
    uint64_t offset, limit;
    bool raw, base64;
    int fd;
    struct stat status;
    enum encoding encoding;
    bool extracted;  /* the text was made from a notebook */
    struct buf text; /* transcoded or extracted text; else the file is streamed */
    bool have_text;
    struct buf warning, note;
};

static void reading_deinit(struct reading *reading)
{
    fd_close(reading->fd);
    buf_deinit(&reading->text);
    buf_deinit(&reading->warning);
    buf_deinit(&reading->note);
}

static json_t *reading_failed(const struct reading *reading, int code)
{
    if (code == -ECANCELED || code == -ETIME) {
        return call_stopped_error(code, "Stopped reading", reading->path);
    }
    return tools_error("Failed to read file: %s: %s", reading->path, strerrordesc_np(-code));
}

/* raw=True is there for edit and write back, so without a narrower wish it means the whole file.
 * The host fills the default limit in, so that the default cannot be told from the same number
 * given by hand; next_offset keeps a script that pages by hand right in either case. */
static uint64_t raw_limit(long long offset, long long limit)
{
    return limit >= LIMIT_MAX || (limit == LIMIT_DEFAULT && offset <= 1) ? 0 : (uint64_t)limit;
}

static json_t *reading_parse(struct reading *reading, const json_t *args)
{
    const json_t *encoding = json_object_get(args, "encoding");
    long long offset = 0, limit = 0;
    json_t *error = NULL;

    reading->path = args_path(args, "path", &error);
    if (reading->path == NULL) {
        return error;
    }
    reading->raw = args_bool(args, "raw", false);
    if (json_is_string(encoding)) {
        const char *name = json_string_value(encoding);
        reading->base64 = strcasecmp(name, "base64") == 0;
        if (!reading->base64 && strcasecmp(name, "utf-8") != 0 && strcasecmp(name, "utf8") != 0) {
            return tools_error("Unknown encoding '%.100s': 'utf-8' (text) and 'base64' exist",
                               name);
        }
    }
    offset = args_integer(args, "offset", 1, &reading->warning);
    limit = args_integer(args, "limit", LIMIT_DEFAULT, &reading->warning);
    limit = limit < 1 ? 1 : limit > LIMIT_MAX ? LIMIT_MAX : limit;
    reading->offset = offset < 1 ? 1 : (uint64_t)offset;
    reading->limit = reading->raw ? raw_limit(offset, limit) : (uint64_t)limit;
    return NULL;
}

static json_t *binary_error(const struct reading *reading, const char *type)
{
    char size[32];
    json_t *error = NULL;
    bool image =
        filetype_is_image_name(reading->path) || (type != NULL && strstr(type, "image") != NULL);

    str_human_bytes((uint64_t)reading->status.st_size, size, sizeof(size));
    error =
        tools_error("Cannot read binary file: %s (%s, %s). encoding=\"base64\" gives its bytes%s",
                    reading->path, type != NULL ? type : "unknown type", size,
                    image ? "; to look at an image use a vision tool" : "");
    json_object_set_new(error, "is_binary", json_true());
    json_object_set_new(error, "is_image", json_boolean(image));
    json_object_set_new(error, "file_size", json_integer(reading->status.st_size));
    return error;
}

static json_t *binary_name_error(const struct reading *reading, const unsigned char *sample,
                                 size_t length)
{
    char extension[16], type[64];
    const char *magic = filetype_from_magic(sample, length);

    filetype_extension(reading->path, extension);
    snprintf(type, sizeof(type), "%s, .%s", magic != NULL ? magic : "by its extension", extension);
    return binary_error(reading, type);
}

/* Reads the whole file (at most limit bytes) into buf. */
static int read_whole(const struct reading *reading, struct buf *buf)
{
    if (lseek(reading->fd, 0, SEEK_SET) < 0) {
        return -errno;
    }
    return fd_read_all(reading->fd, buf);
}

static int transcode_utf16(struct reading *reading)
{
    _cleanup_buf_ struct buf bytes = BUF_INIT(UTF16_BYTES_MAX);
    int r = read_whole(reading, &bytes);

    if (r == 0) {
        r = encoding_append_utf16(&reading->text, bytes.data, bytes.length,
                                  reading->encoding == ENCODING_UTF16_BE);
    }
    reading->have_text = r == 0;
    return r;
}

/* -EINVAL: no notebook, read it as the text that it is. */
static int extract_notebook(struct reading *reading)
{
    _cleanup_buf_ struct buf bytes = BUF_INIT(NOTEBOOK_BYTES_MAX);
    int r = read_whole(reading, &bytes);

    if (r == 0) {
        r = notebook_append_text(&reading->text, (const char *)bytes.data, bytes.length);
    }
    if (r < 0) {
        buf_clear(&reading->text);
    }
    reading->have_text = reading->extracted = r == 0;
    return r == -EMSGSIZE ? -EINVAL : r;
}

/* Opens the file; a missing one may have a twin that Unicode spells otherwise. */
static json_t *reading_open(struct reading *reading, struct path *path)
{
    struct err err = ERR_INIT;
    int r = path_resolve(reading->call, reading->path, path_rule_read, path, &err);

    if (r < 0) {
        return tools_error("Cannot read %s: %s", reading->path, err.text);
    }
    reading->fd = path_open_regular(reading->call, path->real, &reading->status);
    if (reading->fd == -ENOENT) {
        return missing_file(reading->call, reading->path, path, &reading->fd, &reading->status,
                            &reading->note);
    }
    if (reading->fd == -EISDIR || reading->fd == -ENOTBLK) {
        return tools_error("Cannot read %s: not a regular file (it is a %s)", reading->path,
                           path_type_name(reading->status.st_mode));
    }
    return reading->fd < 0 ? reading_failed(reading, reading->fd) : NULL;
}

/* Decides on the first bytes what is to be done; NULL: go on. */
static json_t *reading_detect(struct reading *reading)
{
    unsigned char sample[ENCODING_SAMPLE_BYTES];
    char extension[16];
    ssize_t length = pread(reading->fd, sample, sizeof(sample), 0);
    int r = 0;

    if (length < 0) {
        return reading_failed(reading, -errno);
    }
    filetype_extension(reading->path, extension);
    if (!reading->raw && strcmp(extension, "ipynb") == 0) {
        r = extract_notebook(reading);
        if (r != -EINVAL) {
            return r < 0 ? reading_failed(reading, r) : NULL;
        }
    }
    if (!reading->raw && filetype_is_binary_name(reading->path)) {
        return binary_name_error(reading, sample, (size_t)length);
    }
    reading->encoding = encoding_detect(sample, (size_t)length, (size_t)length < sizeof(sample));
    if (reading->encoding == ENCODING_BINARY) {
        return binary_error(reading, filetype_from_magic(sample, (size_t)length));
    }
    if (reading->encoding == ENCODING_UTF16_LE || reading->encoding == ENCODING_UTF16_BE) {
        r = reading->status.st_size > (off_t)UTF16_BYTES_MAX ? -EMSGSIZE : transcode_utf16(reading);
        return r == -EMSGSIZE ? binary_error(reading, "UTF-16 text that is too large to convert")
               : r < 0        ? reading_failed(reading, r)
                              : NULL;
    }
    return NULL;
}

/* Streams the file through the paginator; bounded memory whatever the size. */
static int page_from_file(struct reading *reading, struct page *page)
{
    _cleanup_free_ unsigned char *block = malloc(BLOCK_BYTES);
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
        length = read(reading->fd, block, BLOCK_BYTES);
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
    bool truncated = page_truncated(page);

    json_object_set_new(result, "truncated", json_boolean(truncated));
    if (truncated) {
        json_object_set_new(result, "truncated_by", json_string(page->full ? "bytes" : "lines"));
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

static void reading_store_remarks(const struct reading *reading, json_t *result)
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

static json_t *read_text(struct reading *reading)
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

static int append_base64_file(struct reading *reading, struct buf *out, uint64_t *ret_bytes)
{
    _cleanup_free_ unsigned char *block = malloc(BLOCK_BYTES);
    size_t have = 0;
    ssize_t length = 1;
    int r = block != NULL ? 0 : -ENOMEM;

    while (r == 0 && length > 0) {
        r = call_check(reading->call);
        if (r < 0) {
            return r;
        }
        length = read(reading->fd, block + have, BLOCK_BYTES - have);
        if (length < 0) {
            return -errno; /* no EINTR: no signal has a handler in this process */
        }
        have += (size_t)length;
        if (have == BLOCK_BYTES || length == 0) {
            *ret_bytes += have;
            r = *ret_bytes > BASE64_BYTES_MAX ? -EMSGSIZE : base64_append(out, block, have);
            have = 0;
        }
    }
    return r;
}

static json_t *read_base64(struct reading *reading)
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

json_t *tool_read_file(struct tool_call *call, const json_t *args)
{
    struct reading reading __attribute__((cleanup(reading_deinit))) = {
        .call = call, .fd = -1, .encoding = ENCODING_UTF8};
    _cleanup_path_ struct path path = {0};
    json_t *error = reading_parse(&reading, args);

    if (error == NULL) {
        error = reading_open(&reading, &path);
    }
    if (error != NULL) {
        return error;
    }
    seen_note(&call->state->seen, path.real, &reading.status);
    if (reading.base64) {
        return read_base64(&reading);
    }
    error = reading_detect(&reading);
    return error != NULL ? error : read_text(&reading);
}
