/* SPDX-License-Identifier: MIT
 *
 * Nothing was found: would it have been, had the question been put a little differently? What the
 * search noticed in passing (search_near.c), and short searches that end at the first match.
 */
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "tools/args.h"
#include "tools/call.h"
#include "tools/search.h"

#include <string.h>

#define PROBE_NS NS_PER_S

/* The first path that matches, in a heap text; NULL: none was found in time. */
static char *probe(const struct tool_call *call, const json_t *args,
                   const struct search_request *request)
{
    struct walk_root *roots = NULL;
    struct search *search = NULL;
    size_t count = 0;
    char *path = NULL;
    json_t *error = search_roots(call, args, &roots, &count, NULL);

    if (error != NULL) {
        json_decref(error);
        return NULL;
    }
    if (search_new(&search, call, request, roots, count, NULL) < 0) {
        return NULL;
    }
    if (search_run(search, call, clock_now_ns() + PROBE_NS) == 0 && search->hit_count > 0) {
        path = strdup(search->hits[0].shown);
    }
    search_end(search);
    return path;
}

static const char *case_hint(const struct search *search)
{
    return search->request.by_name ? "" : " (begin the pattern with (?i))";
}

/* File names are compared once more: that is only a walk. */
static void explain_case(const struct tool_call *call, const json_t *args,
                         const struct search *search, struct buf *warning)
{
    struct search_request request = search->request;
    _cleanup_free_ char *path = NULL;

    request.first_only = true;
    request.flags |= MATCHER_ICASE;
    if (request.by_name) {
        path = probe(call, args, &request);
    } else if (search->near[NEAR_CASE].shown != NULL) {
        path = strdup(search->near[NEAR_CASE].shown);
    }
    if (path != NULL) {
        args_warn(warning, "Ignoring case there would be matches, for example in %s%s.", path,
                  case_hint(search));
    }
}

static void explain_left_out(const struct tool_call *call, const json_t *args,
                             const struct search *search, struct buf *warning)
{
    struct search_request request = search->request;
    struct walk_counts counts;
    _cleanup_free_ char *path = NULL;

    walk_get_counts(search->walk, &counts);
    request.first_only = request.only_left_out = true;
    if (counts.hidden + counts.ignored > 0 && (path = probe(call, args, &request)) != NULL) {
        args_warn(warning,
                  "There would be matches in hidden or ignored files, for example in %s "
                  "(include_hidden=True, include_ignored=True).",
                  path);
    }
}

void search_explain_nothing(const struct tool_call *call, const json_t *args,
                            const struct search *search, struct buf *warning)
{
    explain_case(call, args, search, warning);
    if (call_check(call) == 0) {
        explain_left_out(call, args, search, warning);
    }
    if (search->near[NEAR_FIXED].shown != NULL) {
        args_warn(warning,
                  "As plain text, not as a regular expression, there would be matches, for example "
                  "in %s (re.escape).",
                  search->near[NEAR_FIXED].shown);
    }
}
