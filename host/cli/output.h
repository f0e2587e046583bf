/* SPDX-License-Identifier: MIT
 *
 * What the program itself writes: lines on standard error, JSON on standard output.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct cli_options;

/* Exit codes that are ours; everything else is the script's own. */
enum {
    CLI_EXIT_USAGE = 64,
    CLI_EXIT_OUTPUT = 74, /* the result could not be written */
    CLI_EXIT_UNAVAILABLE = 78,
    CLI_EXIT_PROTOCOL = 79,
    CLI_EXIT_TIMEOUT = 124,
    CLI_EXIT_INTERRUPTED = 130
};

/* "ptc-host: ..." and a newline, as one write. */
void output_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* All of data to fd, waiting when it is a full pipe of somebody who made it non-blocking. 0 or
 * negative errno. */
int output_write(int fd, const char *data, size_t length);

/* text and a newline to standard output; says so on standard error when that fails. 0 or
 * CLI_EXIT_OUTPUT; a reader that went away (EPIPE) is nobody's failure: 0. */
int output_result(const char *text, size_t length);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void output_json_string(FILE *file, const char *text);

/* A failure of ours before there was a run: a line on standard error, and with --json the keys of a
 * result on standard output. Returns exit_code. */
int output_fail(const struct cli_options *options, int exit_code, const char *message);
