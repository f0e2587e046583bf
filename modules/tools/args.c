/* SPDX-License-Identifier: MIT
 *
 * Argument getters with a defined answer for every JSON type, and the collecting of `_warning`.
 */
#include "tools/args.h"

#include "base/str.h"
#include "tools/tools.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

const char *args_text(const json_t *args, const char *key, size_t *ret_length, json_t **ret_error)
{
    const json_t *value = json_object_get(args, key);

    *ret_error = NULL;
    if (!json_is_string(value)) {
        *ret_error =
            value == NULL || json_is_null(value)
                ? tools_error("Missing argument '%s' (a string)", key)
                : tools_error("Argument '%s' must be a string, not %s", key, json_type_name(value));
        return NULL;
    }
    if (ret_length != NULL) {
        *ret_length = json_string_length(value);
    }
    return json_string_value(value);
}

const char *args_path(const json_t *args, const char *key, json_t **ret_error)
{
    size_t length = 0;
    const char *text = args_text(args, key, &length, ret_error);

    if (text == NULL) {
        return NULL;
    }
    if (length == 0) {
        *ret_error = tools_error("Argument '%s' is empty", key);
        return NULL;
    }
    if (strlen(text) != length) {
        *ret_error = tools_error("Argument '%s' has a NUL byte in it", key);
        return NULL;
    }
    return text;
}

static bool text_to_integer(const char *text, long long *ret_value)
{
    char *end = NULL;

    errno = 0;
    *ret_value = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

long long args_integer(const json_t *args, const char *key, long long fallback, struct buf *warning)
{
    const json_t *value = json_object_get(args, key);
    long long number = 0;

    if (value == NULL || json_is_null(value)) {
        return fallback;
    }
    if (json_is_integer(value)) {
        return json_integer_value(value);
    }
    if (json_is_real(value)) {
        double real = json_real_value(value);
        if (real > -1e15 && real < 1e15 && real == (double)(long long)real) {
            return (long long)real;
        }
    }
    if (json_is_string(value) && text_to_integer(json_string_value(value), &number)) {
        args_warn(warning, "'%s' was given as text and read as the integer %lld.", key, number);
        return number;
    }
    args_warn(warning, "'%s' is not an integer; %lld was used.", key, fallback);
    return fallback;
}

bool args_bool(const json_t *args, const char *key, bool fallback)
{
    const json_t *value = json_object_get(args, key);

    return json_is_boolean(value) ? json_is_true(value) : fallback;
}

void args_warn(struct buf *warning, const char *format, ...)
{
    va_list args;

    if (warning == NULL) {
        return;
    }
    if (warning->length > 0) {
        buf_append(warning, " ", 1);
    }
    va_start(args, format);
    buf_append_vformat(warning, format, args);
    va_end(args);
}

void args_store_warning(json_t *result, const struct buf *warning)
{
    if (warning->length > 0) {
        json_object_set_new(result, "_warning",
                            json_text((const char *)warning->data, warning->length));
    }
}
