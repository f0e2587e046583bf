/* SPDX-License-Identifier: MIT
 *
 * The tool read_file: a page of numbered lines, or with raw=True the exact text, or with
 * encoding="base64" the bytes. A script always gets content: no "unchanged" answers, no loop
 * guards.
 */
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "tools/args.h"
#include "tools/filetype.h"
#include "tools/handlers.h"
#include "tools/notebook.h"
#include "tools/path.h"
#include "tools/path_rules.h"
#include "tools/read_missing.h"
#include "tools/reading.h"

#include <errno.h>
#include <string.h>

#define LIMIT_DEFAULT   500
#define LIMIT_MAX       2000
#define UTF16_BYTES_MAX (10u * 1024u * 1024u)

static void reading_deinit(struct reading *reading)
{
    fd_close(reading->fd);
    buf_deinit(&reading->text);
    buf_deinit(&reading->warning);
    buf_deinit(&reading->note);
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
        return reading_base64(&reading);
    }
    error = reading_detect(&reading);
    return error != NULL ? error : reading_text(&reading);
}
