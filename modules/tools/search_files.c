/* SPDX-License-Identifier: MIT
 *
 * The tool search_files: lines by regular expression, or files by name. The result has the same
 * keys whatever its size; what could not be searched and why it ended early is told.
 */
#include "base/clock.h"
#include "base/err.h"
#include "tools/args.h"
#include "tools/call.h"
#include "tools/handlers.h"
#include "tools/search.h"

#include <errno.h>
#include <string.h>

#define SEARCH_NS (60 * NS_PER_S)

struct remarks {
    struct buf arguments; /* `_warning` */
    struct buf warning, note;
};

static void remarks_deinit(struct remarks *remarks)
{
    buf_deinit(&remarks->arguments);
    buf_deinit(&remarks->warning);
    buf_deinit(&remarks->note);
}

/* Early enough to bring home what was found. */
static uint64_t search_deadline(const struct tool_call *call)
{
    uint64_t now = clock_now_ns(), deadline = now + SEARCH_NS;

    if (call->deadline_ns != 0 && call->deadline_ns < deadline) {
        uint64_t left = call->deadline_ns > now ? call->deadline_ns - now : 0;
        uint64_t margin = left / 4 < NS_PER_S / 2 ? left / 4 : NS_PER_S / 2;
        deadline = call->deadline_ns - margin;
    }
    return deadline;
}

static const char *limit_name(enum walk_limit limit)
{
    static const char *const names[] = {
        [WALK_TIME] = "search_timeout",       [WALK_ENTRIES] = "search_entries",
        [WALK_BYTES] = "search_bytes",        [WALK_MATCHES] = "search_matches",
        [WALK_MEMORY] = "search_memory",      [WALK_PATTERN] = "search_backtracking",
        [WALK_CANCELED] = "search_cancelled",
    };

    return limit < sizeof(names) / sizeof(names[0]) ? names[limit] : NULL;
}

static void store_text(json_t *result, const char *key, const struct buf *text)
{
    if (text->length > 0) {
        json_object_set_new(result, key, json_text((const char *)text->data, text->length));
    }
}

/* Out of the search: its last reference may be given back by a thread. */
static json_t *page_take(struct search *search)
{
    json_t *page = search->page;

    search->page = NULL;
    if (page != NULL) {
        return page;
    }
    return !search->request.by_name && search->request.mode == SEARCH_COUNT ? json_object()
                                                                            : json_array();
}

static const char *page_key(const struct search *search)
{
    return search->request.by_name || search->request.mode == SEARCH_FILES_ONLY ? "files"
           : search->request.mode == SEARCH_COUNT                               ? "counts"
                                                                                : "matches";
}

static uint64_t sum_of_counts(const struct search *search)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < search->hit_count; i++) {
        sum += search->hits[i].count;
    }
    return sum;
}

/* In mode "count" the rows are files, but the number that was asked for is that of the matches. */
static void store_rows(json_t *result, struct search *search, bool lower_bound)
{
    uint64_t total = search_total(search), end = search->request.offset + search->request.limit;
    bool truncated = end < total;

    if (search->page_is_cut) {
        end = search->request.offset + search->page_rows;
        truncated = end < total;
    }
    json_object_set_new(
        result, "total_count",
        json_integer(
            (json_int_t)(search->request.mode == SEARCH_COUNT ? sum_of_counts(search) : total)));
    json_object_set_new(result, page_key(search), page_take(search));
    json_object_set_new(result, "truncated", json_boolean(truncated));
    json_object_set_new(result, "next_offset",
                        truncated ? json_integer((json_int_t)end) : json_null());
    json_object_set_new(result, "total_count_is_lower_bound", json_boolean(lower_bound));
    if (!search->request.by_name) {
        json_object_set_new(result, "files_with_matches",
                            json_integer((json_int_t)search->hit_count));
        json_object_set_new(result, "files_searched",
                            json_integer((json_int_t)search->files_searched));
    }
}

static void store_skipped(json_t *result, const struct search *search)
{
    struct walk_counts counts;

    walk_get_counts(search->walk, &counts);
    json_object_set_new(result, "skipped",
                        json_pack("{s:I, s:I, s:I}", "hidden", (json_int_t)counts.hidden, "ignored",
                                  (json_int_t)counts.ignored, "binary",
                                  (json_int_t)search->binary));
    if (search->omitted > 0) {
        json_object_set_new(result, "_omitted", json_integer((json_int_t)search->omitted));
    }
}

static void warn_of_walk(struct search *search, struct buf *warning)
{
    struct walk_counts counts;

    walk_get_counts(search->walk, &counts);
    if (search->matcher != NULL && matcher_is_multi_line(search->matcher)) {
        args_warn(warning, "The pattern has a newline in it, so matches may span lines "
                           "(multi-line mode): a row is one match with all its lines.");
    }
    if (search->expensive.count > 0) {
        args_warn(warning,
                  "The pattern needs too much backtracking for %u line(s), the first in %s; they "
                  "were left out. Nested repetitions such as (a+)+ are the usual cause.",
                  search->expensive.count, search->expensive.shown);
    }
    if (counts.unreadable > 0) {
        args_warn(warning, "%llu directories could not be read.",
                  (unsigned long long)counts.unreadable);
    }
    if (counts.too_deep > 0) {
        args_warn(warning, "%llu directories are nested too deeply and were left out.",
                  (unsigned long long)counts.too_deep);
    }
    if (search->omitted > 0) {
        args_warn(warning, "%llu rows in files that usually hold credentials were left out.",
                  (unsigned long long)search->omitted);
    }
}

static json_t *expensive_error(const struct search *search)
{
    return tools_error("The pattern is too expensive: it needs too much backtracking for a line in "
                       "%s, and nothing else matched. Nested repetitions such as (a+)+ are the "
                       "usual cause; say the same without them",
                       search->expensive.shown);
}

static json_t *make_result(struct search *search, const struct tool_call *call, const json_t *args,
                           struct remarks *remarks)
{
    enum walk_limit limit = walk_limit(search->walk);
    struct walk_counts counts;
    json_t *result = NULL;

    walk_get_counts(search->walk, &counts);
    if (search->expensive.count > 0 && search->hit_count == 0) {
        return expensive_error(search);
    }
    result = json_object();
    store_rows(result, search,
               limit != WALK_COMPLETE || counts.too_deep > 0 || search->expensive.count > 0);
    store_skipped(result, search);
    if (limit_name(limit) != NULL || search->page_is_cut || counts.too_deep > 0) {
        const char *name = limit_name(limit);
        name = name != NULL ? name : search->page_is_cut ? "result_bytes" : "search_depth";
        json_object_set_new(result, "limit_reason", json_string(name));
    }
    warn_of_walk(search, &remarks->warning);
    if (search->hit_count == 0 && search->omitted == 0 && limit == WALK_COMPLETE) {
        search_explain_nothing(call, args, search, &remarks->warning);
    }
    store_text(result, "warning", &remarks->warning);
    store_text(result, "note", &remarks->note);
    args_store_warning(result, &remarks->arguments);
    return result;
}

static json_t *pattern_error(const struct search_request *request, int code, const struct err *err)
{
    if (code == -EINVAL) {
        return tools_error(
            "Invalid regular expression %.200s: %s. To search for the text itself use "
            "re.escape",
            request->pattern, err->text);
    }
    return tools_error("The pattern cannot be used: %s", err->text);
}

static json_t *run_error(const struct search_request *request, int code)
{
    const char *why = code == -ECANCELED ? "the call was cancelled"
                      : code == -EBUSY   ? "the time was up while the rows were being read"
                                         : strerrordesc_np(-code);

    return tools_error("Searching %.200s: %s", request->pattern, why);
}

json_t *tool_search_files(struct tool_call *call, const json_t *args)
{
    struct remarks remarks __attribute__((cleanup(remarks_deinit))) = {0};
    struct search_request request = {0};
    struct walk_root *roots = NULL;
    struct search *search = NULL;
    struct err err = ERR_INIT;
    size_t count = 0;
    json_t *result = search_parse(call, args, &request, &remarks.arguments);
    int r = 0;

    if (result == NULL) {
        result = search_roots(call, args, &roots, &count, &remarks.note);
    }
    if (result != NULL) {
        return result;
    }
    r = search_new(&search, call, &request, roots, count, &err);
    if (r < 0) {
        return pattern_error(&request, r, &err);
    }
    r = search_run(search, call, search_deadline(call));
    result =
        r == 0 || r == -ETIME ? make_result(search, call, args, &remarks) : run_error(&request, r);
    search_end(search);
    return result;
}
