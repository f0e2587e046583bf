/* SPDX-License-Identifier: MIT
 *
 * The life of one search. It belongs to its walk: the last thread that uses it gives it back.
 */
#include "tools/search.h"

#include "base/err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void search_free(void *user)
{
    struct search *search = user;

    for (size_t i = 0; i < WALK_THREADS_MAX; i++) {
        matcher_scratch_free(search->workers[i].scratch);
        text_deinit(&search->workers[i].text);
    }
    matcher_scratch_free(search->pager.scratch);
    text_deinit(&search->pager.text);
    for (size_t i = 0; i < search->hit_count; i++) {
        free(search->hits[i].shown);
    }
    free(search->hits);
    search_near_deinit(search);
    matcher_free(search->matcher);
    glob_set_deinit(&search->names);
    glob_set_deinit(&search->file_glob);
    json_decref(search->page);
    free(search->expensive.shown);
    pthread_mutex_destroy(&search->lock);
    pthread_mutex_destroy(&search->near_lock);
    free(search);
}

static void search_finish(void *user)
{
    search_make_page(user);
}

static int glob_error(struct err *err, int r, const char *what)
{
    return r == -E2BIG ? err_set(err, r, "%s has too many alternatives in its braces", what)
                       : err_set(err, r, "no memory");
}

/* The pattern and the file_glob. They are used up here: nothing of the request's text is needed
 * after. */
static int search_compile(struct search *search, struct err *err)
{
    const struct search_request *request = &search->request;
    int r = 0;

    if (request->file_glob != NULL) {
        r = glob_set_init(&search->file_glob, request->file_glob, false, 0);
        if (r < 0) {
            return glob_error(err, r, "file_glob");
        }
        search->has_file_glob = true;
    }
    if (!request->by_name && !request->first_only) {
        search->near_pattern = malloc(request->pattern_length + 1);
        if (search->near_pattern == NULL) {
            return err_set(err, -ENOMEM, "no memory");
        }
        memcpy(search->near_pattern, request->pattern, request->pattern_length + 1);
    }
    if (!request->by_name) {
        return matcher_new(&search->matcher, request->pattern, request->pattern_length,
                           request->flags, err);
    }
    r = glob_set_init(&search->names, request->pattern, true,
                      request->flags & MATCHER_ICASE ? GLOB_ICASE : 0);
    return r < 0 ? glob_error(err, r, "the pattern") : 0;
}

int search_new(struct search **ret_search, const struct tool_call *call,
               const struct search_request *request, struct walk_root *roots, size_t root_count,
               struct err *err)
{
    struct search *search = calloc(1, sizeof(*search));
    struct walk_options options = {.include_hidden = request->include_hidden,
                                   .include_ignored = request->include_ignored,
                                   .only_left_out = request->only_left_out,
                                   .include_directories = request->include_directories,
                                   .entries_max = SEARCH_ENTRIES_MAX,
                                   .depth_max = SEARCH_DEPTH_MAX};
    struct walk_visitor visitor = {.wants = search_wants,
                                   .visit = search_visit,
                                   .finish = search_finish,
                                   .release = search_free,
                                   .user = search};
    int r = 0;

    if (search == NULL) {
        walk_roots_free(roots, root_count);
        return err_set(err, -ENOMEM, "no memory");
    }
    search->request = *request;
    search->config = *call->config;
    pthread_mutex_init(&search->lock, NULL);
    pthread_mutex_init(&search->near_lock, NULL);
    r = search_compile(search, err);
    if (r < 0) {
        walk_roots_free(roots, root_count);
        search_free(search);
        return r;
    }
    search->walk = walk_new(&options, &visitor, roots, root_count);
    if (search->walk == NULL) {
        search_free(search);
        return err_set(err, -ENOMEM, "no memory");
    }
    *ret_search = search;
    return 0;
}

int search_run(struct search *search, const struct tool_call *call, uint64_t deadline_ns)
{
    int r = walk_run(search->walk, call, deadline_ns);

    if (r == -ETIME) {
        search_make_page(search);
    }
    return r;
}

struct search *search_end(struct search *search)
{
    if (search != NULL) {
        atomic_store(&search->gave_up, true);
        walk_unref(search->walk);
    }
    return NULL;
}
