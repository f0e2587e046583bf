/* SPDX-License-Identifier: MIT
 *
 * Text helpers that know nothing of the domain: formatting, nearest names, numbers with units.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

char *str_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));    /* NULL: no memory */
bool str_equal(const char *a, const char *b); /* NULL equals only NULL */
bool str_starts_with(const char *text, const char *prefix);

/* The candidate that a person most likely meant (optimal string alignment distance, ignoring case
 * and '-' against '_', at most a third of the length), or NULL. Used for "did you mean". */
const char *str_nearest(const char *name, const char *const *candidates, size_t count);

/* "512", "512K", "2M", "2MiB", "1.5G" -> bytes (powers of 1024). -EINVAL, -ERANGE. */
int str_parse_bytes(const char *text, uint64_t *ret_bytes);

/* "30", "0.5", "90s", "5m", "2h" -> milliseconds. -EINVAL, -ERANGE. */
int str_parse_duration_ms(const char *text, uint64_t *ret_ms);

int str_parse_u64(const char *text, uint64_t *ret_value); /* decimal only. -EINVAL, -ERANGE */

/* "2.0 GiB", "512 bytes": for messages. Returns buffer. */
const char *str_human_bytes(uint64_t bytes, char *buffer, size_t size);

static inline void str_free_cleanup(void *pointer)
{
    free(*(void **)pointer);
}
#define _cleanup_free_ __attribute__((cleanup(str_free_cleanup)))
