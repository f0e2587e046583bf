/* SPDX-License-Identifier: MIT
 *
 * jansson behind this project's rules. Depth and the number of values are counted on the raw bytes
 * before jansson sees them: it recurses per level, and "[[],[],..." costs it forty times its size.
 */
#include "base/json.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define PARSE_FLAGS (JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY)

/* The index just after the string whose opening quote is at text[at - 1]. */
static size_t string_skip(const char *text, size_t length, size_t at)
{
    while (at < length && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    return at + 1;
}

static int shape_check(const char *text, size_t length, size_t depth_max, struct err *err)
{
    size_t depth = 0, values = 1;
    for (size_t at = 0; at < length;) {
        char c = text[at++];
        if (c == '"')
            at = string_skip(text, length, at);
        else if ((c == ']' || c == '}') && depth > 0)
            depth--;
        else if (c == '[' || c == '{' || c == ',')
            values++;
        if ((c == '[' || c == '{') && ++depth > depth_max)
            return err_set(err, -EINVAL, "JSON is nested deeper than %zu levels", depth_max);
        if (values > JSON_VALUES_MAX)
            return err_set(err, -E2BIG, "JSON has more than %d values", JSON_VALUES_MAX);
    }
    return 0;
}

json_t *json_parse(const char *text, size_t length, size_t depth_max, struct err *err)
{
    if (length == 0) {
        err_set(err, -EINVAL, "JSON text is empty");
        return NULL;
    }
    if (shape_check(text, length, depth_max, err) < 0)
        return NULL;
    if (memchr(text, '\0', length)) { /* jansson takes it for the end and ignores what follows */
        err_set(err, -EINVAL, "JSON contains a NUL byte");
        return NULL;
    }
    json_error_t error = {0};
    json_t *json = json_loadb(text, length, PARSE_FLAGS, &error);
    if (json)
        return json;
    /* jansson has no words for most of its failing allocations, and words for everything else. */
    if (json_error_code(&error) == json_error_out_of_memory || !error.text[0])
        err_set(err, -ENOMEM, "no memory for JSON");
    else
        err_set(err, -EINVAL, "line %d, column %d: %s", error.line, error.column, error.text);
    return NULL;
}

struct dump {
    struct buf *buf;
    int rc;
};

/* A failure stays: jansson 2.14 does not look at what the callback answers to an object's key. */
static int dump_append(const char *text, size_t length, void *user)
{
    struct dump *dump = user;
    if (dump->rc == 0)
        dump->rc = buf_append(dump->buf, text, length);
    return dump->rc;
}

int json_append(struct buf *buf, const json_t *json)
{
    struct dump dump = {.buf = buf};
    size_t start = buf->length;
    int failed = json_dump_callback(json, dump_append, &dump, JSON_COMPACT | JSON_ENCODE_ANY);
    if (!failed && dump.rc == 0)
        return 0;
    buf->length = start;
    return dump.rc < 0 ? dump.rc : -ENOMEM;
}

/* The letter after the backslash; 'u' when it takes four digits more; 0: no escape. */
static char escape_letter(unsigned char c)
{
    static const char letters[] = {['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r',
                                   ['\t'] = 't', ['"'] = '"',  ['\\'] = '\\'};
    if (c >= 0x20 && c != '"' && c != '\\')
        return 0;
    return letters[c] ? letters[c] : 'u';
}

/* Bytes at text that stand for themselves, looked at eight at a time: nearly all do. */
static size_t plain_run(const char *text, size_t length)
{
    const uint64_t ones = 0x0101010101010101ull, highs = 0x8080808080808080ull;
    size_t n = 0;
    for (uint64_t word; length - n >= sizeof(word); n += sizeof(word)) {
        memcpy(&word, text + n, sizeof(word));
        uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
        uint64_t special = (word - ones * 0x20) | (quote - ones) | (backslash - ones);
        if (special & ~word & highs)
            break;
    }
    while (n < length && !escape_letter((unsigned char)text[n]))
        n++;
    return n;
}

static size_t escaped_length(const char *text, size_t length)
{
    size_t bytes = length;
    for (size_t i = plain_run(text, length); i < length; i += plain_run(text + i, length - i)) {
        bytes += escape_letter((unsigned char)text[i]) == 'u' ? 5 : 1;
        i++;
    }
    return bytes;
}

/* text is valid UTF-8. */
static int valid_append_escaped(struct buf *buf, const char *text, size_t length)
{
    static const char hex[] = "0123456789abcdef";
    int rc = buf_reserve(buf, escaped_length(text, length));
    if (rc < 0)
        return rc;
    unsigned char *out = buf->data + buf->length;
    for (size_t i = 0; i < length; i++) {
        size_t plain = plain_run(text + i, length - i);
        memcpy(out, text + i, plain);
        out += plain;
        i += plain;
        if (i == length)
            break;
        unsigned char c = (unsigned char)text[i];
        char letter = escape_letter(c);
        *out++ = '\\';
        *out++ = (unsigned char)letter;
        if (letter == 'u') {
            *out++ = '0';
            *out++ = '0';
            *out++ = (unsigned char)hex[c >> 4];
            *out++ = (unsigned char)hex[c & 15];
        }
    }
    buf->length = (size_t)(out - buf->data);
    return 0;
}

int json_append_escaped(struct buf *buf, const char *text, size_t length)
{
    _cleanup_buf_ struct buf replaced = BUF_INIT(0);
    size_t start = buf->length;
    int rc = 0;
    if (!utf8_valid(text, length)) {
        rc = utf8_append_replaced(&replaced, text, length);
        text = (const char *)replaced.data;
        length = replaced.length;
    }
    if (rc == 0)
        rc = valid_append_escaped(buf, text, length);
    if (rc < 0)
        buf->length = start;
    return rc;
}

int json_append_string(struct buf *buf, const char *text, size_t length)
{
    size_t start = buf->length;
    int rc = buf_append(buf, "\"", 1);
    if (rc == 0)
        rc = json_append_escaped(buf, text, length);
    if (rc == 0)
        rc = buf_append(buf, "\"", 1);
    if (rc < 0)
        buf->length = start;
    return rc;
}

void json_add(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) == 0) /* takes NULLs, and value also when it fails */
        return;
    json_decref(*array);
    *array = NULL;
}

void json_put(json_t **object, const char *key, json_t *value)
{
    if (json_object_set_new(*object, key, value) == 0)
        return;
    json_decref(*object);
    *object = NULL;
}

const char *json_type_name(const json_t *json)
{
    if (!json)
        return "nothing";
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return "object";
    case JSON_ARRAY:
        return "array";
    case JSON_STRING:
        return "string";
    case JSON_INTEGER:
        return "integer";
    case JSON_REAL:
        return "number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "boolean";
    default:
        return "null";
    }
}

json_t *json_text(const char *text, size_t length)
{
    if (length == 0)
        return json_stringn_nocheck("", 0);
    if (utf8_valid(text, length))
        return json_stringn_nocheck(text, length);
    _cleanup_buf_ struct buf replaced = BUF_INIT(0);
    if (utf8_append_replaced(&replaced, text, length) < 0)
        return NULL;
    return json_stringn_nocheck((const char *)replaced.data, replaced.length);
}
