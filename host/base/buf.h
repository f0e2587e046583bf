/* SPDX-License-Identifier: MIT
 *
 * A growable byte buffer with a hard limit. Growth is checked before it happens: a length that a
 * stranger sent can never make it allocate more than the limit.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct buf {
    unsigned char *data; /* NULL while nothing was ever stored */
    size_t length;
    size_t capacity;
    size_t limit; /* bytes; 0 = no limit */
};

#define BUF_INIT(limit_bytes)                                                                      \
    {                                                                                              \
        NULL, 0, 0, (limit_bytes)                                                                  \
    }

void buf_init(struct buf *buf, size_t limit);
void buf_deinit(struct buf *buf); /* safe to call twice */

/* All return 0, -ENOMEM, or -EMSGSIZE when the limit would be passed (nothing is appended then). */
int buf_reserve(struct buf *buf, size_t extra);
int buf_append(struct buf *buf, const void *data, size_t length);
int buf_append_text(struct buf *buf, const char *text);
int buf_append_format(struct buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int buf_append_vformat(struct buf *buf, const char *format, va_list args);

void buf_consume(struct buf *buf, size_t length); /* drops bytes from the front */
void buf_clear(struct buf *buf);                  /* length 0, keeps the memory */

/* Gives the bytes to the caller as a malloc'd, NUL-terminated string; the buffer is empty after.
 * NULL when there is no memory. ret_length may be NULL. */
char *buf_steal_text(struct buf *buf, size_t *ret_length);

static inline void buf_cleanup(struct buf *buf)
{
    buf_deinit(buf);
}
#define _cleanup_buf_ __attribute__((cleanup(buf_cleanup)))
