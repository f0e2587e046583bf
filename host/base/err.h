/* SPDX-License-Identifier: MIT
 *
 * Error objects that live on the caller's stack, so that reporting an error cannot fail. A function
 * that can fail returns 0 (or a positive outcome that its header names) or a negative errno, and
 * fills the struct err that it was given (NULL is allowed: then only the code travels).
 */
#pragma once

#include <stdarg.h>

#define ERR_TEXT_BYTES 1024

struct err {
    int code;                  /* negative errno, 0 while nothing went wrong */
    char text[ERR_TEXT_BYTES]; /* one sentence, no newline at the end, always valid UTF-8 */
};

#define ERR_INIT                                                                                   \
    {                                                                                              \
        0                                                                                          \
    }

/* Sets code (negative errno) and text; returns code, so that callers can `return err_set(...)`. */
int err_set(struct err *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As err_set, and appends ": " and the errno's own words. */
int err_errno(struct err *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the text that is there; returns err's code. Once per layer. */
int err_context(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
