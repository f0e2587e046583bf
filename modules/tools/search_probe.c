/* SPDX-License-Identifier: MIT
 *
 * Nothing was found: would it have been, had the question been put a little differently? Three
 * short searches that end at the first match, each within a second.
 */
#include "base/clock.h"
#include "base/err.h"
#include "tools/args.h"
#include "tools/call.h"
#include "tools/search.h"
#include "tools/search_pattern.h"

#include <ctype.h>
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

static bool has_letters(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (isalpha((unsigned char)text[i]) || (unsigned char)text[i] >= 128) {
            return true;
        }
    }
    return false;
}

static void probe_case(const struct tool_call *call, const json_t *args,
                       const struct search *search, struct buf *warning)
{
    struct search_request request = search->request;
    char *path = NULL;

    request.first_only = true;
    request.flags |= MATCHER_ICASE;
    if (has_letters(request.pattern, request.pattern_length) &&
        (path = probe(call, args, &request)) != NULL) {
        args_warn(warning, "Ignoring case there would be matches, for example in %s%s.", path,
                  request.by_name ? "" : " (begin the pattern with (?i))");
        free(path);
    }
}

static void probe_left_out(const struct tool_call *call, const json_t *args,
                           const struct search *search, struct buf *warning)
{
    struct search_request request = search->request;
    struct walk_counts counts;
    char *path = NULL;

    walk_get_counts(search->walk, &counts);
    request.first_only = request.include_hidden = request.include_ignored = true;
    if (counts.hidden + counts.ignored > 0 && (path = probe(call, args, &request)) != NULL) {
        args_warn(warning,
                  "There would be matches in hidden or ignored files, for example in %s "
                  "(include_hidden=True, include_ignored=True).",
                  path);
        free(path);
    }
}

static void probe_fixed(const struct tool_call *call, const json_t *args,
                        const struct search *search, struct buf *warning)
{
    struct search_request request = search->request;
    char *path = NULL;

    request.first_only = true;
    request.flags |= MATCHER_FIXED;
    if (!request.by_name && pattern_has_syntax(request.pattern, request.pattern_length) &&
        (path = probe(call, args, &request)) != NULL) {
        args_warn(warning,
                  "As plain text, not as a regular expression, there would be matches, for example "
                  "in %s (re.escape).",
                  path);
        free(path);
    }
}

void search_explain_nothing(const struct tool_call *call, const json_t *args,
                            const struct search *search, struct buf *warning)
{
    void (*const probes[])(const struct tool_call *, const json_t *, const struct search *,
                           struct buf *) = {probe_case, probe_left_out, probe_fixed};

    for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]) && call_check(call) == 0; i++) {
        probes[i](call, args, search, warning);
    }
}
