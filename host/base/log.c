/* SPDX-License-Identifier: MIT
 *
 * Log lines. What a run or a model wrote may end up in one, so that a line is always one line of
 * valid UTF-8 without control characters: nobody forges a second entry or drives a terminal.
 */
#include "base/log.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 2048

static void controls_blank(char *text)
{
    for (unsigned char *p = (unsigned char *)text; *p; p++) {
        if (*p < 0x20 || *p == 0x7f)
            *p = ' ';
        else if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f) /* C1: U+0080..U+009F */
            p[0] = p[1] = ' ';
    }
}

void log_line(const struct log *log, enum log_level level, const char *format, ...)
{
    if (!log || !log->fn || level > log->level)
        return;
    char text[LINE_BYTES], line[LINE_BYTES];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (length < 0)
        snprintf(text, sizeof(text), "%s", format);
    size_t end = strlen(text);
    while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == '\r'))
        end--;
    utf8_copy_replaced(line, sizeof(line), text, end);
    controls_blank(line);
    log->fn(log->user, level, line);
}
