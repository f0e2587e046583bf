/* SPDX-License-Identifier: MIT
 *
 * Remembers what a file looked like when a tool of this run last read or wrote it, so that
 * write_file can warn when somebody else has changed it in between. It never refuses anything.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct stat;

#define SEEN_MAX 256

struct seen_file;

struct seen {
    pthread_mutex_t lock;
    struct seen_file *files[SEEN_MAX]; /* ring: the oldest is forgotten first */
    size_t next;
};

void seen_init(struct seen *seen);
void seen_deinit(struct seen *seen);

void seen_note(struct seen *seen, const char *path, const struct stat *status);

/* True when path was seen before and status differs from then. */
bool seen_is_stale(struct seen *seen, const char *path, const struct stat *status);
