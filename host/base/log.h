/* SPDX-License-Identifier: MIT
 *
 * Log lines go to a callback that the owner of a host gave; without one they go nowhere. The
 * library never writes to stdout or stderr.
 */
#pragma once

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

typedef void (*log_fn)(void *user, enum log_level level, const char *line);

struct log {
    log_fn fn; /* may be NULL */
    void *user;
    enum log_level level;
};

void log_line(const struct log *log, enum log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
