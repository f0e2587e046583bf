/* SPDX-License-Identifier: MIT
 *
 * What is done with each file of the walk: names are compared, contents are counted.
 */
#include "base/fd.h"
#include "base/str.h"
#include "tools/path_rules.h"
#include "tools/search.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

bool search_wants(void *user, const char *path, const char *name, bool is_directory)
{
    struct search *search = user;

    if (is_directory) {
        return search->request.by_name && glob_set_match(&search->names, path, name);
    }
    if (search->has_file_glob && !glob_set_match(&search->file_glob, path, name)) {
        return false;
    }
    return !search->request.by_name || glob_set_match(&search->names, path, name);
}

/* Non-blocking: a FIFO that took the file's place must not hold us up. */
int search_open_file(int directory_fd, const char *name, struct stat *ret_status)
{
    int fd = openat(directory_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

    if (fd < 0) {
        return -errno;
    }
    if (fstat(fd, ret_status) < 0 || !S_ISREG(ret_status->st_mode)) {
        fd_close(fd);
        return -ENOTBLK;
    }
    return fd;
}

static void hit_add(struct search *search, const struct walk_entry *entry, uint64_t count,
                    const struct timespec *modified)
{
    const struct walk_root *root = walk_root(search->walk, entry->root);
    struct search_hit hit = {.shown = str_format("%s%s", root->shown, entry->path),
                             .path = strlen(root->shown),
                             .root = entry->root,
                             .count = count,
                             .modified = *modified};
    bool full = false;

    pthread_mutex_lock(&search->lock);
    if (!search->closed && search->hit_count == search->hit_capacity) {
        size_t capacity = search->hit_capacity * 2 + 64;
        struct search_hit *grown = realloc(search->hits, capacity * sizeof(*grown));
        if (grown != NULL) {
            search->hits = grown;
            search->hit_capacity = capacity;
        }
    }
    if (search->closed) { /* the result is being made: this thread was too late */
        pthread_mutex_unlock(&search->lock);
        free(hit.shown);
        return;
    }
    if (hit.shown != NULL && search->hit_count < search->hit_capacity) {
        search->hits[search->hit_count++] = hit;
        hit.shown = NULL;
    } else {
        walk_stop(search->walk, WALK_MEMORY);
    }
    full = search->hit_count >= SEARCH_FILES_MAX;
    pthread_mutex_unlock(&search->lock);
    free(hit.shown);
    if (search->request.first_only) {
        walk_stop(search->walk, WALK_SATISFIED);
    } else if (full || atomic_fetch_add(&search->matches, count) + count > SEARCH_MATCHES_MAX) {
        walk_stop(search->walk, WALK_MATCHES);
    }
}

static void visit_name(struct search *search, const struct walk_entry *entry)
{
    struct stat status = {0};

    if (search->request.modified_first) {
        fstatat(entry->directory_fd, entry->name, &status, AT_SYMLINK_NOFOLLOW);
    }
    hit_add(search, entry, 1, &status.st_mtim);
}

static void note_expensive(struct search *search, const struct walk_entry *entry)
{
    const struct walk_root *root = walk_root(search->walk, entry->root);

    pthread_mutex_lock(&search->lock);
    if (search->closed) {
        pthread_mutex_unlock(&search->lock);
        return;
    }
    if (search->expensive.shown == NULL) {
        search->expensive.shown = str_format("%s%s", root->shown, entry->path);
    }
    if (++search->expensive.count >= SEARCH_EXPENSIVE_MAX) {
        walk_stop(search->walk, WALK_PATTERN);
    }
    pthread_mutex_unlock(&search->lock);
}

/* The number of matches in the window. */
static uint64_t count_window(struct search *search, struct search_worker *worker,
                             const struct walk_entry *entry, bool one_is_enough)
{
    struct matcher_span span;
    uint64_t count = 0;
    size_t from = 0;
    int r = 0;

    matcher_begin(worker->scratch, worker->text.memory + worker->text.start, worker->text.length);
    while ((r = matcher_next(search->matcher, worker->scratch, from, &span)) != 0) {
        if (r == -ENOMEM) {
            walk_stop(search->walk, WALK_MEMORY);
        }
        if (r == -ENOMEM || r == -ECANCELED) {
            return count;
        }
        if (r < 0) {
            note_expensive(search, entry);
        }
        count += r > 0;
        from = span.end + 1;
        if ((one_is_enough && count > 0) ||
            ((r < 0 || (count & 4095) == 4095) && walk_stopped(search->walk))) {
            return count;
        }
    }
    return count;
}

/* Only for windows of large files: the clock is asked by the one who waits. */
static bool count_bytes(struct search *search, uint64_t bytes)
{
    if (atomic_fetch_add_explicit(&search->bytes, bytes, memory_order_relaxed) + bytes >
        SEARCH_BYTES_MAX) {
        walk_stop(search->walk, WALK_BYTES);
    }
    return !walk_stopped(search->walk);
}

static uint64_t count_file(struct search *search, struct search_worker *worker,
                           const struct walk_entry *entry)
{
    bool one_is_enough = search->request.mode == SEARCH_FILES_ONLY || search->request.first_only;
    uint64_t count = 0;
    int r = 0;

    while ((r = text_next(&worker->text)) == 1) {
        count += count_window(search, worker, entry, one_is_enough);
        if (count == 0) {
            search_look_near(search, worker, entry);
        }
        if (!count_bytes(search, worker->text.length) || (one_is_enough && count > 0)) {
            break;
        }
    }
    if (r == -ENOMEM) {
        walk_stop(search->walk, WALK_MEMORY);
    }
    atomic_fetch_add_explicit(r == TEXT_BINARY ? &search->binary : &search->files_searched, 1,
                              memory_order_relaxed);
    return r == TEXT_BINARY ? 0 : count;
}

/* Devices are never opened. Credentials are searched and then left out, so that it can be told. */
static const char *refusal(const struct search *search, const struct walk_entry *entry)
{
    return path_rule_read(&search->config, entry->absolute);
}

static bool is_kernel_file(const char *absolute)
{
    return str_starts_with(absolute, "/proc/") || str_starts_with(absolute, "/dev/");
}

static void visit_content(struct search *search, struct search_worker *worker,
                          const struct walk_entry *entry)
{
    _cleanup_fd_ int fd = -1;
    struct stat status;
    uint64_t count = 0;

    if (is_kernel_file(entry->absolute) && refusal(search, entry) != NULL) {
        return;
    }
    fd = search_open_file(entry->directory_fd, entry->name, &status);
    if (fd < 0) {
        return;
    }
    text_open(&worker->text, fd, &status, matcher_is_multi_line(search->matcher));
    count = count_file(search, worker, entry);
    if (count == 0) {
        return;
    }
    if (refusal(search, entry) != NULL) {
        pthread_mutex_lock(&search->lock);
        search->omitted += search->closed ? 0 : search->request.mode == SEARCH_CONTENT ? count : 1;
        pthread_mutex_unlock(&search->lock);
        return;
    }
    hit_add(search, entry, count, &status.st_mtim);
}

static bool is_stopped(void *user)
{
    return walk_stopped(user);
}

void search_visit(void *user, unsigned worker, const struct walk_entry *entry)
{
    struct search *search = user;
    struct search_worker *own = &search->workers[worker];

    if (search->request.by_name) {
        visit_name(search, entry);
        return;
    }
    if (own->scratch == NULL &&
        (own->scratch = matcher_scratch_new(is_stopped, search->walk)) == NULL) {
        walk_stop(search->walk, WALK_MEMORY);
        return;
    }
    visit_content(search, own, entry);
}
