/* SPDX-License-Identifier: MIT
 *
 * The walk's parts: the queue of work and its threads (walk.c), reading one directory
 * (walk_directory.c), where its rules of gitignore come from (walk_rules.c).
 */
#pragma once

#include "base/buf.h"
#include "tools/walk.h"

#include <limits.h>
#include <pthread.h>

#define WALK_WHOLE_DIRECTORY UINT32_MAX

/* A directory that is being walked. Shared by the tasks that were made of it. */
struct walk_directory {
    atomic_uint refs;
    size_t root;
    int fd; /* -1 until it is entered */
    unsigned depth;
    bool left_out; /* all of it is hidden or ignored */
    char *path;    /* relative to the root, "" or with a slash at the end */
    struct ignore_level *rules;
    struct buf names;  /* of the files to visit, each with its NUL */
    uint32_t *offsets; /* of the names */
    uint32_t files;
};

/* Enter a directory, or visit some of its files. */
struct walk_task {
    struct walk_directory *directory;
    uint32_t from, to; /* from == WALK_WHOLE_DIRECTORY: enter */
};

struct walk {
    atomic_uint refs;
    struct walk_options options;
    struct walk_visitor visitor;
    struct walk_root *roots;
    size_t root_count;
    char *workspace;
    int done_fd;                         /* eventfd: all is visited and finished */
    const struct tool_call *inline_call; /* set when the caller's own thread has to do the work */
    uint64_t deadline_ns;
    atomic_int limit;
    atomic_ullong entries, hidden, ignored, too_deep, unreadable;

    pthread_mutex_t lock; /* all below */
    pthread_cond_t more;
    struct walk_task *tasks;
    size_t task_count, task_capacity;
    unsigned threads, idle;
    bool ended; /* no task is left and none can come */
    bool finished;
};

/* Adds tasks; starts a thread when there is work for one. Takes the reference of the directory.
 * 0 or -ENOMEM (then the walk is stopped). */
int walk_push(struct walk *walk, struct walk_directory *directory, uint32_t from, uint32_t to);

struct walk_directory *walk_directory_new(size_t root, const char *parent, const char *name,
                                          unsigned depth, struct ignore_level *rules);
struct walk_directory *walk_directory_ref(struct walk_directory *directory);
struct walk_directory *walk_directory_unref(struct walk_directory *directory); /* returns NULL */

void walk_task_run(struct walk *walk, unsigned worker, const struct walk_task *task);

/* The rules that hold in the root, from the top of its repository down to the directory above it.
 * workspace: where to stop looking upwards when there is no repository. */
struct ignore_level *walk_rules_above(const struct walk_root *root, const char *workspace);

/* parent (a reference is taken over) or a new level with the directory's own rules. */
struct ignore_level *walk_rules_enter(struct ignore_level *parent, int directory_fd, size_t base,
                                      bool has_rules, bool has_git);
