/* SPDX-License-Identifier: MIT
 *
 * jansson with the rules of this project: strict UTF-8, depth limit, duplicate keys refused, NUL
 * allowed inside strings (always use json_string_length), errors that name line and column.
 * The only place, besides code that walks json_t, that knows jansson.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct buf;
struct err;

#define JSON_DEPTH_MAX 64
#define JSON_VALUES_MAX                                                                            \
    (1 << 18) /* in one text: a small text must not become gigabytes of json_t */

static inline void json_cleanup(json_t **json)
{
    json_decref(*json);
}
#define _cleanup_json_ __attribute__((cleanup(json_cleanup)))

/* One JSON value and nothing after it. Depth and the number of values are checked on the raw bytes
 * before parsing. NULL on error; err's code is -EINVAL, -E2BIG (too many values) or -ENOMEM. */
json_t *json_parse(const char *text, size_t length, size_t depth_max, struct err *err);

/* Appends compact JSON (non-ASCII kept as UTF-8). 0, -ENOMEM, -EMSGSIZE. */
int json_append(struct buf *buf, const json_t *json);

/* Appends text as a JSON string with quotes; invalid UTF-8 becomes U+FFFD. 0, -ENOMEM, -EMSGSIZE.
 */
int json_append_string(struct buf *buf, const char *text, size_t length);

/* The same without the quotes: for a long string that is written in pieces, each of which ends between
 * characters. */
int json_append_escaped(struct buf *buf, const char *text, size_t length);

/* For texts of many parts, checked once at the end: without memory *array or *object becomes NULL,
 * which it stays. value is taken over; NULL is no memory, too. */
void json_add(json_t **array, json_t *value);
void json_put(json_t **object, const char *key, json_t *value);

/* "object", "array", "string", "integer", "number", "boolean", "null": for messages. */
const char *json_type_name(const json_t *json);

/* A jansson string from bytes of any kind: invalid UTF-8 becomes U+FFFD. NULL: no memory. */
json_t *json_text(const char *text, size_t length);
