/* SPDX-License-Identifier: MIT
 *
 * The text of a file, window by window: whole lines, never split unless one is larger than memory
 * allows. Binary files are told by a NUL byte near their beginning; UTF-16 with a byte order mark
 * is made UTF-8.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define TEXT_WINDOW_BYTES     (256u * 1024u)
#define TEXT_WINDOW_BYTES_MAX (32u * 1024u * 1024u)

/* Belongs to one thread; the memory is used for one file after the other. */
struct text {
    char *memory;
    size_t capacity;
    int fd;               /* borrowed */
    uint64_t size, bytes; /* what fstat said; what was read */
    size_t filled;        /* of memory */
    size_t start;         /* where the window begins in memory */
    size_t length;        /* of the window */
    bool end;             /* the file's end was read */
    bool first;           /* no window was given yet */
    bool whole;           /* the file in one window, as far as the maximum allows */
};

enum { TEXT_BINARY = 2 };

void text_open(struct text *text, int fd, const struct stat *status, bool whole);

/* 1: text->memory + text->start, text->length; 0: there is no more; TEXT_BINARY; negative errno. */
int text_next(struct text *text);

void text_deinit(struct text *text);
