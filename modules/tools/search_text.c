/* SPDX-License-Identifier: MIT
 *
 * Reading with read(2) into memory that is warm in the cache: for files of ordinary size that is
 * faster than to map them, and a file that is cut short meanwhile is no SIGBUS.
 */
#include "tools/search_text.h"

#include "base/buf.h"
#include "tools/encoding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BINARY_SAMPLE_BYTES (64u * 1024u)

void text_deinit(struct text *text)
{
    free(text->memory);
    *text = (struct text){0};
}

void text_open(struct text *text, int fd, const struct stat *status, bool whole)
{
    *text = (struct text){.memory = text->memory,
                          .capacity = text->capacity,
                          .fd = fd,
                          .size = (uint64_t)status->st_size,
                          .first = true,
                          .whole = whole};
}

/* Room for more; -EMSGSIZE: the largest window is full. */
static int text_grow(struct text *text)
{
    size_t capacity = text->capacity != 0 ? text->capacity * 2 : TEXT_WINDOW_BYTES;
    char *grown = NULL;

    if (text->whole && text->size + 1 > capacity) {
        capacity =
            text->size < TEXT_WINDOW_BYTES_MAX ? (size_t)text->size + 1 : TEXT_WINDOW_BYTES_MAX;
    }
    if (text->capacity >= TEXT_WINDOW_BYTES_MAX) {
        return -EMSGSIZE;
    }
    grown = malloc(capacity); /* not realloc: most of the time there is nothing to keep */
    if (grown == NULL) {
        return -ENOMEM;
    }
    if (text->filled > 0) {
        memcpy(grown, text->memory, text->filled);
    }
    free(text->memory);
    text->memory = grown;
    text->capacity = capacity;
    return 0;
}

/* One read(2). A regular file that gives less than asked for at its size is at its end: that saves
 * the second read of every small file. */
static int text_fill(struct text *text)
{
    size_t room = text->capacity - text->filled;
    ssize_t n = 0;

    do {
        n = read(text->fd, text->memory + text->filled, room);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return -errno;
    }
    text->filled += (size_t)n;
    text->bytes += (uint64_t)n;
    text->end = n == 0 || (text->size > 0 && text->bytes >= text->size && (size_t)n < room);
    return 0;
}

/* UTF-16 becomes one window of UTF-8. */
static int text_transcode(struct text *text, bool big_endian)
{
    _cleanup_buf_ struct buf out = BUF_INIT(TEXT_WINDOW_BYTES_MAX);
    int r = 0;

    while (!text->end && r == 0) {
        r = text->filled == text->capacity ? text_grow(text) : text_fill(text);
    }
    if (r == 0) {
        r = encoding_append_utf16(&out, (const unsigned char *)text->memory, text->filled,
                                  big_endian);
    }
    if (r < 0) {
        return r == -EMSGSIZE ? TEXT_BINARY : r;
    }
    free(text->memory);
    text->capacity = out.capacity;
    text->filled = text->length = out.length;
    text->memory = buf_steal_text(&out, NULL);
    return text->length > 0;
}

/* The first bytes decide. 0: go on with what is in memory. */
static int text_look(struct text *text)
{
    const unsigned char *data = (const unsigned char *)text->memory;
    size_t sample = text->filled < BINARY_SAMPLE_BYTES ? text->filled : BINARY_SAMPLE_BYTES;

    if (sample == 0) {
        return 0;
    }
    if (sample >= 2 && ((data[0] == 0xff && data[1] == 0xfe && (sample < 4 || data[2] | data[3])) ||
                        (data[0] == 0xfe && data[1] == 0xff))) {
        return text_transcode(text, data[0] == 0xfe);
    }
    if (memchr(data, '\0', sample) != NULL) {
        return TEXT_BINARY;
    }
    if (sample >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        text->start = 3;
    }
    return 0;
}

/* How much of memory makes whole lines; 0: more has to be read. */
static size_t whole_lines(const struct text *text)
{
    const char *newline = NULL;

    if (text->end) {
        return text->filled;
    }
    if (text->filled == 0 || text->filled < text->capacity ||
        (text->whole && text->capacity < TEXT_WINDOW_BYTES_MAX)) {
        return 0;
    }
    newline = memrchr(text->memory, '\n', text->filled);
    if (newline != NULL) {
        return (size_t)(newline - text->memory) + 1;
    }
    return text->capacity >= TEXT_WINDOW_BYTES_MAX ? text->filled : 0; /* a line is split */
}

/* Moves what the last window left over to the front. */
static void text_advance(struct text *text)
{
    size_t used = text->start + text->length;

    if (text->length == 0) {
        return;
    }
    memmove(text->memory, text->memory + used, text->filled - used);
    text->filled -= used;
    text->start = text->length = 0;
}

int text_next(struct text *text)
{
    size_t lines = 0;
    int r = 0;

    text_advance(text);
    while ((lines = whole_lines(text)) == 0 && !text->end) {
        r = text->filled == text->capacity ? text_grow(text) : text_fill(text);
        if (r < 0) {
            return r;
        }
        if (text->first && (text->end || text->filled >= 4)) {
            text->first = false;
            r = text_look(text);
            if (r != 0) {
                return r;
            }
        }
    }
    if (lines <= text->start) {
        return 0;
    }
    text->length = lines - text->start;
    return 1;
}
