/* SPDX-License-Identifier: MIT
 *
 * Reading tool arguments. The host has validated them, but the handlers live next to untrusted code
 * and must not fall over when a frame says otherwise: every getter has a defined answer for any
 * type.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

#include <stdbool.h>

/* The text of args[key], or NULL when it is missing or not a string; then *ret_error is the reply.
 */
const char *args_text(const json_t *args, const char *key, size_t *ret_length, json_t **ret_error);

/* As args_text, for file names: empty text and text with a NUL byte are refused too. */
const char *args_path(const json_t *args, const char *key, json_t **ret_error);

/* An integer, an integral float or numeric text (a bool is none of them). Null and missing give the
 * fallback silently, anything else gives it with a sentence in warning. */
long long args_integer(const json_t *args, const char *key, long long fallback,
                       struct buf *warning);

bool args_bool(const json_t *args, const char *key, bool fallback);

/* Appends a sentence to a `_warning` text that is being collected. No memory: the sentence is lost.
 */
void args_warn(struct buf *warning, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Stores the collected text as `_warning` of result when there is any. */
void args_store_warning(json_t *result, const struct buf *warning);
