/* SPDX-License-Identifier: MIT
 *
 * What would have been found ignoring case, or with the pattern as plain text. Asked of windows
 * without a match while there is no match at all, so that an empty result can say more than that.
 */
#include "base/str.h"
#include "tools/search.h"
#include "tools/search_pattern.h"

#include <ctype.h>
#include <string.h>

static bool has_letters(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (isalpha((unsigned char)text[i]) || (unsigned char)text[i] >= 128) {
            return true;
        }
    }
    return false;
}

/* On the first window that needs them: most searches find something at once. */
static void near_make(struct search *search)
{
    const char *text = search->near_pattern;
    size_t length = search->request.pattern_length;

    pthread_mutex_lock(&search->near_lock);
    if (!atomic_load(&search->near_ready)) {
        if (has_letters(text, length)) {
            matcher_new(&search->near[NEAR_CASE].matcher, text, length, MATCHER_ICASE, NULL);
        }
        if (pattern_has_syntax(text, length)) {
            matcher_new(&search->near[NEAR_FIXED].matcher, text, length, MATCHER_FIXED, NULL);
        }
        atomic_store(&search->near_ready, true);
    }
    pthread_mutex_unlock(&search->near_lock);
}

static void near_ask(struct search *search, struct search_near *near, struct search_worker *worker,
                     const struct walk_entry *entry)
{
    const struct walk_root *root = walk_root(search->walk, entry->root);
    struct matcher_span span;

    matcher_begin(worker->scratch, worker->text.memory + worker->text.start, worker->text.length);
    if (matcher_next(near->matcher, worker->scratch, 0, &span) != 1 ||
        atomic_exchange(&near->found, true)) {
        return;
    }
    pthread_mutex_lock(&search->lock);
    if (!search->closed) {
        near->shown = str_format("%s%s", root->shown, entry->path);
    }
    pthread_mutex_unlock(&search->lock);
}

void search_look_near(struct search *search, struct search_worker *worker,
                      const struct walk_entry *entry)
{
    if (search->near_pattern == NULL ||
        atomic_load_explicit(&search->matches, memory_order_relaxed) > 0) {
        return;
    }
    if (!atomic_load(&search->near_ready)) {
        near_make(search);
    }
    for (size_t i = 0; i < NEAR_COUNT; i++) {
        struct search_near *near = &search->near[i];
        if (near->matcher != NULL && !atomic_load_explicit(&near->found, memory_order_relaxed)) {
            near_ask(search, near, worker, entry);
        }
    }
}

void search_near_deinit(struct search *search)
{
    for (size_t i = 0; i < NEAR_COUNT; i++) {
        matcher_free(search->near[i].matcher);
        free(search->near[i].shown);
    }
    free(search->near_pattern);
}
