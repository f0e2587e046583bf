/* SPDX-License-Identifier: MIT
 *
 * Error objects. Text is always formatted into a second buffer first: callers may pass the text
 * that is already there as an argument, and foreign bytes in it must come out as valid UTF-8.
 */
#include "base/err.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static void text_store(struct err *err, char *text)
{
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    utf8_copy_replaced(err->text, sizeof(err->text), text, length);
}

static void text_format(char *text, size_t size, const char *format, va_list args)
{
    if (vsnprintf(text, size, format, args) < 0)
        snprintf(text, size, "%s", format); /* no memory for an exotic conversion */
}

int err_set(struct err *err, int code, const char *format, ...)
{
    if (!err)
        return code;
    char text[ERR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    text_format(text, sizeof(text), format, args);
    va_end(args);
    err->code = code;
    text_store(err, text);
    return code;
}

int err_errno(struct err *err, int code, const char *format, ...)
{
    if (!err)
        return code;
    char text[ERR_TEXT_BYTES], joined[ERR_TEXT_BYTES + 128];
    va_list args;
    va_start(args, format);
    text_format(text, sizeof(text), format, args);
    va_end(args);
    const char *words = strerrordesc_np(-code); /* thread safe, unlike strerror */
    if (words)
        snprintf(joined, sizeof(joined), "%s: %s", text, words);
    else
        snprintf(joined, sizeof(joined), "%s: error %d", text, -code);
    err->code = code;
    text_store(err, joined);
    return code;
}

int err_context(struct err *err, const char *format, ...)
{
    if (!err)
        return 0;
    char text[ERR_TEXT_BYTES], joined[2 * ERR_TEXT_BYTES + 4];
    va_list args;
    va_start(args, format);
    text_format(text, sizeof(text), format, args);
    va_end(args);
    snprintf(joined, sizeof(joined), "%s: %s", text, err->text);
    text_store(err, joined);
    return err->code;
}
