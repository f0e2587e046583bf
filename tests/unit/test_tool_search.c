/* SPDX-License-Identifier: MIT
 *
 * search_files as a script sees it: rows, files and counts, pages, what is left out and what is
 * said about it.
 */
#include "test_tools_fixture.h"

#include "base/clock.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Calls search_files with a JSON object as text. */
static json_t *search(struct fixture *f, const char *format, ...)
{
    char text[4096];
    va_list list;
    json_t *args = NULL;

    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    args = json_loads(text, 0, NULL);
    if (args == NULL) {
        fail_msg("bad arguments in the test: %s", text);
    }
    return fixture_call(f, "search_files", args);
}

static void make_directory(struct fixture *f, const char *name)
{
    char path[PATH_MAX];

    assert_int_equal(mkdir(ws_path(f, name, path), 0755), 0);
}

/* The array under key as "a|b|c". For rows: "path:line:content", with '-' for context. */
static const char *joined(const json_t *result, const char *key)
{
    static char text[16384];
    const json_t *array = json_object_get(result, key);
    size_t at = 0;

    assert_no_error(result);
    assert_true(json_is_array(array));
    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);
        const char *separator = i > 0 ? "|" : "";
        if (json_is_string(item)) {
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", separator,
                                   json_string_value(item));
        } else {
            char mark = strcmp(get_text(item, "kind"), "match") == 0 ? ':' : '-';
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s%c%lld%c%s", separator,
                                   get_text(item, "path"), mark, get_int(item, "line"), mark,
                                   get_text(item, "content"));
        }
        assert_true(at < sizeof(text));
    }
    return text;
}

static void expect(json_t *result, const char *key, const char *want, long long total)
{
    assert_string_equal(joined(result, key), want);
    assert_int_equal(get_int(result, "total_count"), total);
    json_decref(result);
}

static void expect_warning(json_t *result, const char *part)
{
    assert_no_error(result);
    assert_has(get_text(result, "warning"), part);
    json_decref(result);
}

static void expect_error(json_t *result, const char *part)
{
    assert_has(get_text(result, "error"), part);
    json_decref(result);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void rows_of_a_tree(void **state)
{
    struct fixture *f = *state;

    make_directory(f, "b");
    put_text(f, "b/x.c", "one\nneedle two\n");
    put_text(f, "a.c", "needle\nno\nlast needle");
    expect(search(f, "{\"pattern\": \"needle\"}"), "matches",
           "a.c:1:needle|a.c:3:last needle|b/x.c:2:needle two", 3);
    expect(search(f, "{\"pattern\": \"ne{2}d\", \"path\": \"b\"}"), "matches",
           "b/x.c:2:needle two", 1);
    expect(search(f, "{\"pattern\": \"^needle$\", \"path\": \"./b/../a.c\"}"), "matches",
           "b/../a.c:1:needle", 1);
}

static void shape_is_the_same_at_every_size(void **state)
{
    struct fixture *f = *state;
    const char *keys[] = {"total_count", "matches", "truncated", "next_offset",
                          "total_count_is_lower_bound", "skipped", NULL};
    char text[1000] = "";

    for (int lines = 0; lines < 60; lines += 4) {
        json_t *r = NULL;
        put_text(f, "a.txt", text);
        r = search(f, "{\"pattern\": \"hit\"}");
        for (int i = 0; keys[i] != NULL; i++) {
            assert_non_null(json_object_get(r, keys[i]));
        }
        assert_true(json_is_array(json_object_get(r, "matches")));
        assert_int_equal(get_int(r, "total_count"), lines);
        assert_int_equal(get_bool(r, "truncated"), lines > 50);
        assert_true(json_is_null(json_object_get(r, "next_offset")) == (lines <= 50));
        json_decref(r);
        strcat(text, "hit\nhit\nhit\nhit\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(rows_of_a_tree),
        FIXTURE_TEST(shape_is_the_same_at_every_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
