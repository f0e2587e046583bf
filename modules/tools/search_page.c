/* SPDX-License-Identifier: MIT
 *
 * From the files with matches, in the order that was asked for, the page of rows.
 */
#include "base/utf8.h"
#include "tools/search.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct search_hit *)a)->shown, ((const struct search_hit *)b)->shown);
}

/* Newest first; what is equally new by name. */
static int compare_times(const void *a, const void *b)
{
    const struct timespec *x = &((const struct search_hit *)a)->modified;
    const struct timespec *y = &((const struct search_hit *)b)->modified;

    if (x->tv_sec != y->tv_sec) {
        return x->tv_sec > y->tv_sec ? -1 : 1;
    }
    if (x->tv_nsec != y->tv_nsec) {
        return x->tv_nsec > y->tv_nsec ? -1 : 1;
    }
    return compare_names(a, b);
}

/* Sorted by name; a file that was reached by two roots counts once. */
static void hits_sort(struct search *search)
{
    size_t kept = 0;

    if (search->hit_count == 0) {
        return;
    }
    qsort(search->hits, search->hit_count, sizeof(*search->hits), compare_names);
    for (size_t i = 1; i < search->hit_count; i++) {
        if (strcmp(search->hits[kept].shown, search->hits[i].shown) == 0) {
            free(search->hits[i].shown);
        } else {
            search->hits[++kept] = search->hits[i];
        }
    }
    search->hit_count = kept + 1;
    if (search->request.modified_first) {
        qsort(search->hits, search->hit_count, sizeof(*search->hits), compare_times);
    }
}

static bool rows_are_lines(const struct search *search)
{
    return !search->request.by_name && search->request.mode == SEARCH_CONTENT;
}

uint64_t search_total(const struct search *search)
{
    uint64_t total = 0;

    if (!rows_are_lines(search)) {
        return search->hit_count;
    }
    for (size_t i = 0; i < search->hit_count; i++) {
        total += search->hits[i].count;
    }
    return total;
}

static void page_lines(struct search *search)
{
    const struct search_request *request = &search->request;
    uint64_t end = request->offset + request->limit, passed = 0;
    struct search_worker *worker = &search->pager;

    for (size_t i = 0; i < search->hit_count && passed < end && !search->page_is_cut; i++) {
        const struct search_hit *hit = &search->hits[i];
        uint64_t skip = passed < request->offset ? request->offset - passed : 0;
        uint64_t left = end - passed > skip ? end - passed - skip : 0;
        if (skip < hit->count && left > 0) {
            uint64_t take = hit->count - skip < left ? hit->count - skip : left;
            search->page_rows += search_rows(search, worker, hit, skip, take);
        }
        passed += hit->count;
        if (atomic_load(&search->gave_up)) {
            return;
        }
    }
}

static void page_files(struct search *search)
{
    const struct search_request *request = &search->request;

    for (size_t i = request->offset; i < search->hit_count && search->page_rows < request->limit;
         i++) {
        const struct search_hit *hit = &search->hits[i];
        if (!request->by_name && request->mode == SEARCH_COUNT) {
            char name[8192];
            utf8_copy_replaced(name, sizeof(name), hit->shown, strlen(hit->shown));
            json_object_set_new(search->page, name, json_integer((json_int_t)hit->count));
        } else {
            json_array_append_new(search->page, json_text(hit->shown, strlen(hit->shown)));
        }
        search->page_rows++;
    }
}

static void make_page(struct search *search)
{
    hits_sort(search);
    search->page = !search->request.by_name && search->request.mode == SEARCH_COUNT ? json_object()
                                                                                    : json_array();
    if (search->page == NULL || search->request.first_only) {
        return;
    }
    if (rows_are_lines(search)) {
        page_lines(search);
    } else {
        page_files(search);
    }
}

void search_make_page(struct search *search)
{
    bool closed = false;

    pthread_mutex_lock(&search->lock);
    closed = search->closed;
    search->closed = true;
    pthread_mutex_unlock(&search->lock);
    if (!closed) {
        make_page(search);
    }
}
