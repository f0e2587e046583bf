/* SPDX-License-Identifier: MIT
 *
 * A walk over directory trees by several threads. What it finds is handed to a visitor, with the
 * directory open, in no particular order. Links are not followed, only regular files and (when
 * asked) directories are visited. The caller of walk_run only waits, so a cancel or the end of the
 * time is never held up by a thread that is deep in one file.
 */
#pragma once

#include "tools/ignore.h"
#include "tools/tools.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WALK_THREADS_MAX 8
#define WALK_ROOTS_MAX   64

/* Why a walk ended early. */
enum walk_limit {
    WALK_COMPLETE,
    WALK_TIME,
    WALK_ENTRIES,
    WALK_BYTES,
    WALK_MATCHES,
    WALK_MEMORY,
    WALK_PATTERN,   /* the visitor: too much backtracking, too often */
    WALK_SATISFIED, /* the visitor: nothing more is needed */
    WALK_CANCELED,
};

struct walk_root {
    int fd;      /* of the directory, or of the directory that holds `name` */
    char *real;  /* absolute, without links: of that directory; "" for / */
    char *shown; /* what a found path begins with: "" or text that ends in a slash */
    char *name;  /* the root is this one file; NULL: it is the directory */
};

struct walk_entry {
    size_t root;
    int directory_fd;
    const char *absolute; /* ends in path, path ends in name */
    const char *path;     /* relative to the root's directory */
    const char *name;
    bool is_directory;
};

struct walk;

/* What is done with what is found. All are called from the walk's threads. */
struct walk_visitor {
    bool (*wants)(void *user, const char *path, const char *name, bool is_directory);
    void (*visit)(void *user, unsigned worker, const struct walk_entry *entry);
    void (*finish)(void *user);  /* once, by the last thread, when all is visited */
    void (*release)(void *user); /* when nobody uses user any more */
    void *user;
};

struct walk_options {
    bool include_hidden, include_ignored, include_directories;
    bool only_left_out; /* visit what the two flags would have left out, and nothing else */
    unsigned threads;   /* 0: as many as there are processors */
    uint64_t entries_max;
    unsigned depth_max;
};

struct walk_counts {
    uint64_t entries, hidden, ignored, too_deep, unreadable;
};

/* Takes the roots with what they hold, on failure too, and calls visitor->release at the end of
 * its life (not on failure). NULL: no memory. */
struct walk *walk_new(const struct walk_options *options, const struct walk_visitor *visitor,
                      struct walk_root *roots, size_t root_count);
void walk_root_deinit(struct walk_root *root);
void walk_roots_free(struct walk_root *roots, size_t count);

/* Waits for the end. 0: all was visited and finish was called; -ETIME: time was up, and a thread
 * that hangs in one file may still be running; -EBUSY: so may finish; -ECANCELED; -ENOMEM. deadline_ns: monotonic. */
int walk_run(struct walk *walk, const struct tool_call *call, uint64_t deadline_ns);

/* Gives the caller's share back; threads that still run keep theirs. Returns NULL. */
struct walk *walk_unref(struct walk *walk);

const struct walk_root *walk_root(const struct walk *walk, size_t root);

/* For visitors: the first limit that is told stops the walk. */
void walk_stop(struct walk *walk, enum walk_limit limit);
bool walk_stopped(struct walk *walk); /* to be asked often in long work */
enum walk_limit walk_limit(struct walk *walk);
void walk_get_counts(struct walk *walk, struct walk_counts *ret_counts);
