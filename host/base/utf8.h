/* SPDX-License-Identifier: MIT
 *
 * UTF-8: validity, safe cuts, replacement. Strict: no overlong forms, no surrogates, <= U+10FFFF.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buf;

bool utf8_valid(const void *data, size_t length);

/* Length of the valid sequence at data (1..4), 0 when it is invalid, -1 when it is a valid prefix
 * that the end cuts short. */
int utf8_sequence(const unsigned char *data, size_t length);

/* The largest n <= length at which the text may be cut without splitting a character (looks back
 * at most three bytes; invalid bytes count as characters of their own). */
size_t utf8_floor(const void *data, size_t length);

/* The smallest n >= 0 at which the text may start without beginning inside a character. */
size_t utf8_skip_continuation(const void *data, size_t length);

/* Appends data with each maximal invalid subpart replaced by U+FFFD, as Python's
 * bytes.decode("utf-8", "replace") does. Returns 0 or what buf_append returned. */
int utf8_append_replaced(struct buf *buf, const void *data, size_t length);

/* The same into a fixed buffer (size > 0), cut at a character's border and NUL-terminated. Cannot
 * fail; returns the bytes written before the NUL. */
size_t utf8_copy_replaced(char *out, size_t size, const void *data, size_t length);
