/* SPDX-License-Identifier: MIT
 *
 * Lines on standard error, JSON on standard output, and what happens when they cannot be written.
 */
#include "cli/output.h"

#include "cli/options.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void output_say(const char *format, ...)
{
    static const char prefix[] = "ptc-host: ";
    char line[4096];
    va_list args;

    memcpy(line, prefix, sizeof prefix);
    va_start(args, format);
    vsnprintf(line + sizeof prefix - 1, sizeof line - sizeof prefix, format, args);
    va_end(args);
    size_t length = strlen(line);
    line[length++] = '\n';
    output_write(STDERR_FILENO, line, length);
}

int output_write(int fd, const char *data, size_t length)
{
    while (length) {
        ssize_t n = write(fd, data, length);
        if (n < 0 && errno == EAGAIN) {
            struct pollfd writable = {fd, POLLOUT, 0};
            poll(&writable, 1, -1);
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        data += n;
        length -= (size_t)n;
    }
    return 0;
}

int output_result(const char *text, size_t length)
{
    int r = output_write(STDOUT_FILENO, text, length);

    if (r == 0)
        r = output_write(STDOUT_FILENO, "\n", 1);
    if (r == 0 || r == -EPIPE)
        return 0;
    output_say("cannot write to standard output: %s", strerror(-r));
    return CLI_EXIT_OUTPUT;
}

/* Length of the UTF-8 sequence at text, 0 when there is none. */
static size_t sequence_length(const unsigned char *text)
{
    unsigned char first = text[0], second = text[1];
    size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    if ((first >= 0x80 && first < 0xc2) || first > 0xf4)
        return 0;
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void output_json_string(FILE *file, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    putc('"', file);
    while (*at) {
        size_t length = sequence_length(at);
        if (length == 0)
            fputs("\xef\xbf\xbd", file);
        else if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(file, "\\u%04x", *at);
        else
            fwrite(at, 1, length, file);
        at += length ? length : 1;
    }
    putc('"', file);
}

static const char *status_of_exit_code(int exit_code)
{
    return exit_code == CLI_EXIT_UNAVAILABLE ? "sandbox_unavailable" : "error";
}

static void print_failure(int exit_code, const char *message)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);

    if (!file)
        return;
    fprintf(file,
            "{\"status\":\"%s\",\"output\":\"\",\"tool_calls_made\":0,\"duration_seconds\":0.0,"
            "\"error\":",
            status_of_exit_code(exit_code));
    output_json_string(file, message);
    fputs(",\"stderr\":\"\"}", file);
    if (fclose(file) == 0)
        output_result(text, length);
    free(text);
}

int output_fail(const struct cli_options *options, int exit_code, const char *message)
{
    output_say("%s", message);
    if (options->json)
        print_failure(exit_code, message);
    return exit_code;
}
