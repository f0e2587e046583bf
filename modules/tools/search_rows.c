/* SPDX-License-Identifier: MIT
 *
 * The rows of one file of the page: the matching lines with their numbers, and the lines around
 * them. The file is read in one window, so that the lines before a match are still there.
 */
#include "base/fd.h"
#include "base/utf8.h"
#include "tools/search.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>

struct rows {
    struct search *search;
    const struct search_hit *hit;
    const char *data; /* the window */
    size_t length;
    uint64_t line; /* the number of the line that begins at `at` */
    size_t at;
    uint64_t written; /* the number of the last line that has a row, in any window */
    size_t bytes;
};

/* The bytes that the first characters take. */
static size_t characters_length(const char *text, size_t length, size_t characters)
{
    size_t at = 0;

    while (at < length && characters-- > 0) {
        int n = utf8_sequence((const unsigned char *)text + at, length - at);
        at += n > 0 ? (size_t)n : 1;
    }
    return at;
}

static void row_add(struct rows *rows, uint64_t line, size_t start, size_t end, bool is_match)
{
    const char *text = rows->data + start;
    size_t length = end - start, kept = 0;
    json_t *row = NULL;

    length -= length > 0 && text[length - 1] == '\r';
    kept = characters_length(text, length, SEARCH_ROW_CHARACTERS);
    row = json_pack("{s:o?, s:I, s:o?, s:s}", "path",
                    json_text(rows->hit->shown, strlen(rows->hit->shown)), "line", (json_int_t)line,
                    "content", json_text(text, kept), "kind", is_match ? "match" : "context");
    if (row != NULL && kept < length) {
        json_object_set_new(row, "cut", json_true());
    }
    json_array_append_new(rows->search->page, row);
    rows->bytes += kept + strlen(rows->hit->shown) + 64;
    rows->search->page_is_cut |= rows->bytes > SEARCH_RESULT_BYTES;
}

static size_t end_of_line(const struct rows *rows, size_t at)
{
    const char *newline = memchr(rows->data + at, '\n', rows->length - at);

    return newline != NULL ? (size_t)(newline - rows->data) : rows->length;
}

/* Moves to the line that begins at `to`, counting. */
static void rows_advance(struct rows *rows, size_t to)
{
    const char *at = rows->data + rows->at, *end = rows->data + to;

    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        rows->line++;
        at++;
    }
    rows->at = to;
}

/* Lines first to last as context, those that have no row yet. `at` is where line `line` begins. */
static void rows_context(struct rows *rows, uint64_t first, uint64_t last, uint64_t line, size_t at)
{
    for (; line <= last && at < rows->length; line++) {
        size_t end = end_of_line(rows, at);
        if (line >= first && line > rows->written) {
            row_add(rows, line, at, end, false);
            rows->written = line;
        }
        at = end + 1;
    }
}

static void context_before(struct rows *rows, size_t start)
{
    uint64_t count = rows->search->request.context, line = rows->line;
    size_t at = start;

    while (count-- > 0 && at > 0 && line > rows->written + 1) {
        const char *newline = at > 1 ? memrchr(rows->data, '\n', at - 1) : NULL;
        at = newline != NULL ? (size_t)(newline - rows->data) + 1 : 0;
        line--;
    }
    if (line < rows->line) {
        rows_context(rows, line, rows->line - 1, line, at);
    }
}

static uint64_t newlines_in(const char *data, size_t length)
{
    uint64_t count = 0;

    for (const char *at = data; (at = memchr(at, '\n', length - (size_t)(at - data))); at++) {
        count++;
    }
    return count;
}

/* The matches of one window. */
static void rows_window(struct rows *rows, struct search_worker *worker, uint64_t *skip,
                        uint64_t take, uint64_t *taken)
{
    unsigned context = rows->search->request.context;
    struct matcher_span span;
    size_t from = 0;
    uint64_t after_from = 0, after_to = 0; /* lines that the last match wants after it */
    size_t after_at = 0;
    int r = 0;

    matcher_begin(worker->scratch, rows->data, rows->length);
    while (*taken < take && !rows->search->page_is_cut &&
           (r = matcher_next(rows->search->matcher, worker->scratch, from, &span)) != 0) {
        if (r == -ENOMEM || r == -ECANCELED) {
            break;
        }
        from = span.end + 1;
        if (r < 0 || *skip > 0) {
            *skip -= r > 0;
            continue;
        }
        rows_advance(rows, span.start);
        if (after_to > 0) {
            rows_context(rows, after_from, after_to < rows->line - 1 ? after_to : rows->line - 1,
                         after_from, after_at);
        }
        context_before(rows, span.start);
        row_add(rows, rows->line, span.start, span.end, true);
        rows->written = rows->line + newlines_in(rows->data + span.start, span.end - span.start);
        after_from = rows->written + 1;
        after_to = context > 0 ? rows->written + context : 0;
        after_at = span.end + 1;
        (*taken)++;
    }
    if (after_to > 0) {
        rows_context(rows, after_from, after_to, after_from, after_at);
    }
    rows_advance(rows, rows->length);
}

static int hit_open(const struct search *search, const struct search_hit *hit,
                    struct stat *ret_status)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                           .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH};
    int root = walk_root(search->walk, hit->root)->fd;
    int fd = (int)syscall(SYS_openat2, root, hit->shown + hit->path, &how, sizeof(how));

    if (fd < 0 && errno == ENOSYS) {
        return search_open_file(root, hit->shown + hit->path, ret_status);
    }
    if (fd < 0) {
        return -errno;
    }
    if (fstat(fd, ret_status) < 0 || !S_ISREG(ret_status->st_mode)) {
        fd_close(fd);
        return -ENOTBLK;
    }
    return fd;
}

static bool nobody_waits(void *user)
{
    return atomic_load(&((struct search *)user)->gave_up);
}

uint64_t search_rows(struct search *search, struct search_worker *worker,
                     const struct search_hit *hit, uint64_t skip, uint64_t take)
{
    struct rows rows = {.search = search, .hit = hit, .line = 1};
    struct stat status;
    _cleanup_fd_ int fd = hit_open(search, hit, &status);
    uint64_t taken = 0;

    if (fd < 0 || (worker->scratch == NULL &&
                   (worker->scratch = matcher_scratch_new(nobody_waits, search)) == NULL)) {
        return 0;
    }
    text_open(&worker->text, fd, &status, true);
    while (taken < take && !search->page_is_cut && !atomic_load(&search->gave_up) &&
           text_next(&worker->text) == 1) {
        rows.data = worker->text.memory + worker->text.start;
        rows.length = worker->text.length;
        rows.at = 0;
        rows_window(&rows, worker, &skip, take, &taken);
    }
    return taken;
}
