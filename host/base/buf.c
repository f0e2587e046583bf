/* SPDX-License-Identifier: MIT
 *
 * A growable byte buffer. One byte more than `capacity` is always allocated, so that text can be
 * terminated and formatted in place without counting the NUL against the limit.
 */
#include "base/buf.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_MIN 64

void buf_init(struct buf *buf, size_t limit)
{
    *buf = (struct buf)BUF_INIT(limit);
}

void buf_deinit(struct buf *buf)
{
    free(buf->data);
    *buf = (struct buf)BUF_INIT(buf->limit);
}

static size_t capacity_for(const struct buf *buf, size_t needed)
{
    size_t capacity = buf->capacity < CAPACITY_MIN ? CAPACITY_MIN : buf->capacity;
    if (capacity < needed)
        capacity = capacity > SIZE_MAX / 4 ? needed : capacity * 2;
    if (capacity < needed)
        capacity = needed;
    return buf->limit && capacity > buf->limit ? buf->limit : capacity;
}

int buf_reserve(struct buf *buf, size_t extra)
{
    if (extra > SIZE_MAX / 2 - buf->length)
        return -EMSGSIZE;
    size_t needed = buf->length + extra;
    if (buf->limit && needed > buf->limit)
        return -EMSGSIZE;
    if (needed <= buf->capacity && buf->data)
        return 0;
    size_t capacity = capacity_for(buf, needed);
    unsigned char *data = realloc(buf->data, capacity + 1);
    if (!data)
        return -ENOMEM;
    buf->data = data;
    buf->capacity = capacity;
    return 0;
}

int buf_append(struct buf *buf, const void *data, size_t length)
{
    if (length == 0)
        return 0;
    int rc = buf_reserve(buf, length);
    if (rc < 0)
        return rc;
    memcpy(buf->data + buf->length, data, length);
    buf->length += length;
    return 0;
}

int buf_append_text(struct buf *buf, const char *text)
{
    return buf_append(buf, text, strlen(text));
}

int buf_append_format(struct buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = buf_append_vformat(buf, format, args);
    va_end(args);
    return rc;
}

int buf_append_vformat(struct buf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return errno == EOVERFLOW ? -EMSGSIZE : -ENOMEM;
    int rc = buf_reserve(buf, (size_t)length);
    if (rc < 0)
        return rc;
    vsnprintf((char *)buf->data + buf->length, (size_t)length + 1, format, args);
    buf->length += (size_t)length;
    return 0;
}

void buf_consume(struct buf *buf, size_t length)
{
    if (length >= buf->length) {
        buf->length = 0;
        return;
    }
    memmove(buf->data, buf->data + length, buf->length - length);
    buf->length -= length;
}

void buf_clear(struct buf *buf)
{
    buf->length = 0;
}

char *buf_steal_text(struct buf *buf, size_t *ret_length)
{
    if (!buf->data && buf_reserve(buf, 0) < 0)
        return NULL;
    char *text = (char *)buf->data;
    text[buf->length] = '\0';
    if (ret_length)
        *ret_length = buf->length;
    *buf = (struct buf)BUF_INIT(buf->limit);
    return text;
}
