/* SPDX-License-Identifier: MIT
 *
 * Where the script comes from: a file, -c, standard input.
 */
#pragma once

#include <stddef.h>

struct cli_options;

struct source {
    const char *path; /* a regular file, for the library to read; or NULL and ... */
    const char *code;
    size_t code_length;
    char *owned; /* what was read from standard input or a pipe */
};

/* 0, or -1 with one sentence in problem. */
int source_load(struct source *source, const struct cli_options *options, char *problem,
                size_t size);
/* Standard input as NUL-terminated text. 0, or -1 with problem set. */
int source_read_stdin(struct source *source, char *problem, size_t size);

void source_deinit(struct source *source);
