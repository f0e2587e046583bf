/* SPDX-License-Identifier: MIT
 *
 * One search_files request, from its arguments (search_args.c) over the walk (search_visit.c) and
 * the page of rows that was asked for (search_page.c, search_rows.c) to its result
 * (search_files.c).
 *
 * A search goes over everything twice at most: first only counting, which needs no line numbers
 * and no memory, then once more over the few files of the page.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "tools/glob.h"
#include "tools/search_matcher.h"
#include "tools/search_text.h"
#include "tools/walk.h"

#include <pthread.h>

#define SEARCH_LIMIT_MAX      20000
#define SEARCH_CONTEXT_MAX    100
#define SEARCH_ENTRIES_MAX    5000000u
#define SEARCH_DEPTH_MAX      256
#define SEARCH_BYTES_MAX      (64ull * 1024 * 1024 * 1024)
#define SEARCH_MATCHES_MAX    1000000000u
#define SEARCH_FILES_MAX      1000000u
#define SEARCH_ROW_CHARACTERS 500
#define SEARCH_RESULT_BYTES   (16u * 1024u * 1024u)
#define SEARCH_EXPENSIVE_MAX  20

enum search_mode { SEARCH_CONTENT, SEARCH_FILES_ONLY, SEARCH_COUNT };

/* What the script asked for. */
struct search_request {
    const char *pattern; /* borrowed: not for threads that may outlive the call */
    size_t pattern_length;
    bool by_name; /* target "files" */
    enum search_mode mode;
    const char *file_glob; /* NULL: every file */
    uint64_t limit, offset;
    unsigned context;
    bool modified_first;
    bool include_hidden, include_ignored, include_directories;
    bool first_only;    /* a probe: one match is enough */
    bool only_left_out; /* a probe: what is hidden or ignored, and nothing else */
    unsigned flags;     /* MATCHER_ICASE, MATCHER_FIXED */
};

/* A file with matches. */
struct search_hit {
    char *shown; /* heap */
    size_t path; /* where the name relative to the root begins in shown */
    size_t root;
    uint64_t count;
    struct timespec modified;
};

struct search_worker {
    struct matcher_scratch *scratch;
    struct text text;
};

/* A question that is nearly the one that was asked. It is put to the same text in passing, as long
 * as the search itself has found nothing: to read everything once more would cost much more. */
enum { NEAR_CASE, NEAR_FIXED, NEAR_COUNT };

struct search_near {
    struct matcher *matcher; /* NULL: it would be the same question */
    atomic_bool found;
    char *shown; /* where; with the lock */
};

/* The first line that an expression was too expensive for. */
struct search_expensive {
    char *shown;
    unsigned count;
};

struct search {
    struct search_request request;
    struct tools_config config; /* a copy: a thread that hangs may outlive the call */
    struct matcher *matcher;    /* NULL: by name */
    struct glob_set names;      /* the pattern when by_name */
    struct glob_set file_glob;
    bool has_file_glob;
    pthread_mutex_t near_lock; /* the first thread that needs them makes them */
    atomic_bool near_ready;
    char *near_pattern; /* a copy of the pattern; NULL: by name, or a probe */
    struct search_near near[NEAR_COUNT];
    struct walk *walk;
    struct search_worker workers[WALK_THREADS_MAX];
    struct search_worker pager; /* for the page */
    atomic_ullong bytes, binary, matches, files_searched;
    atomic_bool gave_up; /* the caller: nobody waits for the page any more */

    pthread_mutex_t lock; /* all below */
    bool closed;          /* no hit is taken any more */
    struct search_hit *hits;
    size_t hit_count, hit_capacity;
    uint64_t omitted;
    struct search_expensive expensive;
    json_t *page; /* matches, files or counts */
    uint64_t page_rows;
    bool page_is_cut; /* ended before its limit: the result would have been too large */
};

/* Takes the roots, on failure too. err has what is wrong with the pattern (-EINVAL) or the glob
 * (-E2BIG). 0, -ENOMEM. */
int search_new(struct search **ret_search, const struct tool_call *call,
               const struct search_request *request, struct walk_root *roots, size_t root_count,
               struct err *err);

/* As walk_run; afterwards the page is there, if it could be made. */
int search_run(struct search *search, const struct tool_call *call, uint64_t deadline_ns);
struct search *search_end(struct search *search); /* returns NULL */

/* search_near.c: a window in which nothing was found. */
void search_look_near(struct search *search, struct search_worker *worker,
                      const struct walk_entry *entry);
void search_near_deinit(struct search *search);

/* search_visit.c: the walk's visitor. */
bool search_wants(void *user, const char *path, const char *name, bool is_directory);
void search_visit(void *user, unsigned worker, const struct walk_entry *entry);

/* search_page.c: sorts the hits and fills the page. */
void search_make_page(struct search *search);
uint64_t search_total(const struct search *search); /* rows of all pages */

/* search_rows.c: appends the rows of one file: skip matches are passed over, then take are wanted.
 * Returns how many of them there were. */
uint64_t search_rows(struct search *search, struct search_worker *worker,
                     const struct search_hit *hit, uint64_t skip, uint64_t take);

/* Opens what was found. The fd or negative errno. */
int search_open_file(int directory_fd, const char *name, struct stat *ret_status);

/* search_args.c: NULL, or the error. Roots: heap; note: what was made of `path`. */
json_t *search_parse(const struct tool_call *call, const json_t *args,
                     struct search_request *ret_request, struct buf *warning);
json_t *search_roots(const struct tool_call *call, const json_t *args, struct walk_root **ret_roots,
                     size_t *ret_count, struct buf *note);

/* search_probe.c: why nothing was found; sentences are added to warning. */
void search_explain_nothing(const struct tool_call *call, const json_t *args,
                            const struct search *search, struct buf *warning);
