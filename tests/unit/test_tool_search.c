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
#include <sys/wait.h>

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
    expect(search(f, "{\"pattern\": \"ne{2}d\", \"path\": \"b\"}"), "matches", "b/x.c:2:needle two",
           1);
    expect(search(f, "{\"pattern\": \"^needle$\", \"path\": \"./b/../a.c\"}"), "matches",
           "b/../a.c:1:needle", 1);
}

static void shape_is_the_same_at_every_size(void **state)
{
    struct fixture *f = *state;
    const char *keys[] = {
        "total_count", "matches", "truncated", "next_offset", "total_count_is_lower_bound",
        "skipped",     NULL};
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

static void modes(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL, *counts = NULL;

    put_text(f, "a.txt", "x\nx\ny\nx");
    put_text(f, "b.txt", "x");
    put_text(f, "c.txt", "no");
    expect(search(f, "{\"pattern\": \"x\", \"output_mode\": \"files_only\"}"), "files",
           "a.txt|b.txt", 2);
    r = search(f, "{\"pattern\": \"x\", \"output_mode\": \"count\"}");
    counts = json_object_get(r, "counts");
    assert_int_equal(json_object_size(counts), 2);
    assert_int_equal(get_int(counts, "a.txt"), 3);
    assert_int_equal(get_int(r, "total_count"), 4);
    assert_int_equal(get_int(r, "files_with_matches"), 2);
    json_decref(r);
    r = search(f, "{\"pattern\": \"x\", \"output_mode\": \"count\", \"limit\": 1}");
    assert_int_equal(json_object_size(json_object_get(r, "counts")), 1);
    assert_true(get_bool(r, "truncated"));
    assert_int_equal(get_int(r, "next_offset"), 1);
    json_decref(r);
}

static void context_rows(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, "a", "1\n2\nhit\n4\n5\nhit\nhit\n8\n9\n10\n");
    expect(search(f, "{\"pattern\": \"hit\", \"context\": 1}"), "matches",
           "a-2-2|a:3:hit|a-4-4|a-5-5|a:6:hit|a:7:hit|a-8-8", 3);
    expect(search(f, "{\"pattern\": \"hit\", \"context\": 9}"), "matches",
           "a-1-1|a-2-2|a:3:hit|a-4-4|a-5-5|a:6:hit|a:7:hit|a-8-8|a-9-9|a-10-10", 3);
    expect(search(f, "{\"pattern\": \"hit\", \"context\": 1, \"limit\": 1, \"offset\": 1}"),
           "matches", "a-5-5|a:6:hit|a-7-hit", 3);
    r = search(f, "{\"pattern\": \"hit\", \"context\": 1, \"limit\": 1}");
    assert_int_equal(get_int(r, "next_offset"), 1); /* context rows do not count */
    json_decref(r);
}

static void pages_join_to_the_whole(void **state)
{
    struct fixture *f = *state;
    char name[32];
    long long offset = 0, rows = 0, last_file = -1, last_line = 0;

    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof(name), "f%02d", i);
        put_text(f, name, "hit\n-\nhit\nhit\n-\nhit\nhit\nhit\nhit\nhit\nhit\nhit\n");
    }
    for (bool more = true; more;) {
        json_t *r = search(f, "{\"pattern\": \"hit\", \"limit\": 7, \"offset\": %lld}", offset);
        const json_t *matches = json_object_get(r, "matches");
        assert_no_error(r);
        assert_int_equal(get_int(r, "total_count"), 300);
        for (size_t i = 0; i < json_array_size(matches); i++) {
            const json_t *row = json_array_get(matches, i);
            long long file = strtoll(get_text(row, "path") + 1, NULL, 10);
            assert_true(file > last_file ||
                        (file == last_file && get_int(row, "line") > last_line));
            last_file = file;
            last_line = get_int(row, "line");
            rows++;
        }
        more = get_bool(r, "truncated");
        offset = more ? get_int(r, "next_offset") : 0;
        json_decref(r);
    }
    assert_int_equal(rows, 300);
    expect(search(f, "{\"pattern\": \"hit\", \"offset\": 300}"), "matches", "", 300);
}

static void long_rows_are_cut_at_characters(void **state)
{
    struct fixture *f = *state;
    char text[3000] = "";
    json_t *r = NULL;
    const json_t *row = NULL;

    for (int i = 0; i < 501; i++) {
        strcat(text, "\xe6\xbc\xa2"); /* three bytes each */
    }
    put_text(f, "a", text);
    r = search(f, "{\"pattern\": \"\xe6\xbc\xa2+\"}");
    row = json_array_get(json_object_get(r, "matches"), 0);
    assert_int_equal(strlen(get_text(row, "content")), 1500);
    assert_true(get_bool(row, "cut"));
    json_decref(r);
    text[1500] = '\0';
    put_text(f, "a", text);
    r = search(f, "{\"pattern\": \"\xe6\xbc\xa2+\"}");
    row = json_array_get(json_object_get(r, "matches"), 0);
    assert_int_equal(strlen(get_text(row, "content")), 1500);
    assert_null(json_object_get(row, "cut"));
    json_decref(r);
}

/* Lines over the borders of the windows in which large files are read, and one larger than them. */
static void large_files(void **state)
{
    struct fixture *f = *state;
    size_t size = 3000000, at = 0;
    char *text = malloc(size + 64);
    long long lines = 0;
    json_t *r = NULL;

    while (at < size) {
        bool hit = lines % 1000 == 999;
        size_t length = lines == 20000 ? 700000 : (size_t)(lines % 37);
        memset(text + at, 'x', length);
        at += length;
        if (hit) {
            memcpy(text + at, "needle", 6);
            at += 6;
        }
        text[at++] = '\n';
        lines++;
    }
    put_bytes(f, "large", text, at);
    r = search(f, "{\"pattern\": \"needle\", \"limit\": 20000, \"context\": 1}");
    assert_int_equal(get_int(r, "total_count"), lines / 1000);
    for (long long i = 0; i < lines / 1000; i++) {
        const json_t *row = json_array_get(json_object_get(r, "matches"), (size_t)(i * 3 + 1));
        assert_int_equal(get_int(row, "line"), i * 1000 + 1000);
        assert_string_equal(get_text(row, "kind"), "match");
    }
    json_decref(r);
    r = search(f, "{\"pattern\": \"^x*n[e]+dle$\", \"output_mode\": \"count\"}");
    assert_int_equal(get_int(r, "total_count"), lines / 1000);
    json_decref(r);
    free(text);
}

/* ---- text ------------------------------------------------------------------------------------- */

static void encodings(void **state)
{
    struct fixture *f = *state;

    put_text(f, "crlf", "one\r\ntwo\r\n");
    put_text(f, "bom",
             "\xef\xbb\xbf"
             "one\n");
    put_bytes(f, "utf16", "\xff\xfeo\0n\0e\0\n\0", 10);
    put_text(f, "latin1", "one \xe4\n");
    expect(search(f, "{\"pattern\": \"^one\"}"), "matches",
           "bom:1:one|crlf:1:one|latin1:1:one \xef\xbf\xbd|utf16:1:one", 4);
    expect(search(f, "{\"pattern\": \"two$\"}"), "matches", "crlf:2:two", 1);
    expect(search(f, "{\"pattern\": \"[o]ne$\", \"path\": \"crlf\"}"), "matches", "crlf:1:one", 1);
    put_text(f, "u", "\xc3\x84rger\n");
    expect(search(f, "{\"pattern\": \"(?i)\xc3\xa4rger\"}"), "matches", "u:1:\xc3\x84rger", 1);
    expect(search(f, "{\"pattern\": \"^\\\\w.ger$\", \"path\": \"u\"}"), "matches",
           "u:1:\xc3\x84rger", 1);
}

static void multi_line_when_a_newline_is_written(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, "a", "x\nbegin\nmiddle\nend\ny\nbegin end\n");
    r = search(f, "{\"pattern\": \"begin\\\\nmiddle\\\\nend\"}");
    assert_has(get_text(r, "warning"), "multi-line");
    expect(r, "matches", "a:2:begin\nmiddle\nend", 1);
    r = search(f, "{\"pattern\": \"begin\\nmid\"}");
    expect(r, "matches", "a:2:begin\nmiddle", 1);
    r = search(f, "{\"pattern\": \"begin[^\\\\n]*end\"}"); /* says the opposite */
    assert_string_equal(get_text(r, "warning"), "");
    expect(r, "matches", "a:6:begin end", 1);
    r = search(f, "{\"pattern\": \"begin[^x]*end\"}");
    expect(r, "matches", "a:6:begin end", 1);
    expect(search(f, "{\"pattern\": \"le\\\\nend\\\\ny\", \"context\": 1}"), "matches",
           "a-2-begin|a:3:middle\nend\ny|a-6-begin end", 1);
}

/* ---- what is left out ------------------------------------------------------------------------- */

static void hidden_ignored_binary_are_counted(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL, *skipped = NULL;

    put_text(f, ".hidden", "needle");
    make_directory(f, ".git");
    put_text(f, ".git/config", "needle");
    put_text(f, ".gitignore", "*.log\n/out/\n");
    put_text(f, "a.log", "needle");
    make_directory(f, "out");
    put_text(f, "out/b", "needle");
    put_bytes(f, "binary", "needle\0", 7);
    put_text(f, "seen", "needle");
    r = search(f, "{\"pattern\": \"needle\"}");
    skipped = json_object_get(r, "skipped");
    assert_int_equal(get_int(skipped, "hidden"), 3);
    assert_int_equal(get_int(skipped, "ignored"), 2);
    assert_int_equal(get_int(skipped, "binary"), 1);
    expect(r, "matches", "seen:1:needle", 1);
    expect(search(f, "{\"pattern\": \"needle\", \"include_hidden\": true}"), "matches",
           ".hidden:1:needle|seen:1:needle", 2);
    expect(search(f, "{\"pattern\": \"needle\", \"include_ignored\": true}"), "matches",
           "a.log:1:needle|out/b:1:needle|seen:1:needle", 3);
    r = search(f, "{\"pattern\": \"needle\", \"include_ignored\": true, \"include_hidden\": true}");
    expect(r, "matches",
           ".git/config:1:needle|.hidden:1:needle|a.log:1:needle|out/b:1:needle|seen:1:needle", 5);
    /* What is named is searched. */
    expect(search(f, "{\"pattern\": \"needle\", \"path\": \"out\"}"), "matches", "out/b:1:needle",
           1);
    expect(search(f, "{\"pattern\": \"needle\", \"path\": \".git\"}"), "matches",
           ".git/config:1:needle", 1);
    expect(search(f, "{\"pattern\": \"needle\", \"path\": \"a.log\"}"), "matches", "a.log:1:needle",
           1);
}

static void rules_above_the_root_hold(void **state)
{
    struct fixture *f = *state;

    make_directory(f, "repo");
    make_directory(f, "repo/.git");
    make_directory(f, "repo/src");
    put_text(f, ".gitignore", "*.c\n"); /* above the repository: none of its business */
    put_text(f, "repo/.gitignore", "/src/gen.*\n");
    put_text(f, "repo/src/gen.c", "x");
    put_text(f, "repo/src/own.c", "x");
    expect(search(f, "{\"pattern\": \"x\", \"path\": \"repo/src\"}"), "matches",
           "repo/src/own.c:1:x", 1);
    expect(search(f, "{\"pattern\": \"x\"}"), "matches", "repo/src/own.c:1:x", 1);
}

static void credentials_are_left_out_and_counted(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, ".env", "TOKEN=1\nTOKEN=2\n");
    put_text(f, "a", "TOKEN\n");
    r = search(f, "{\"pattern\": \"TOKEN\", \"include_hidden\": true}");
    assert_int_equal(get_int(r, "_omitted"), 2);
    expect(r, "matches", "a:1:TOKEN", 1);
    expect_error(search(f, "{\"pattern\": \"TOKEN\", \"path\": \".env\"}"), "Access denied");
    /* A directory may be called so. */
    make_directory(f, "sub");
    make_directory(f, "sub/.env");
    put_text(f, "sub/.env/x.py", "TOKEN");
    expect(search(f, "{\"pattern\": \"TOKEN\", \"path\": \"sub/.env\"}"), "matches",
           "sub/.env/x.py:1:TOKEN", 1);
}

static void special_files_do_not_hold_it_up(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(mkfifo(ws_path(f, "fifo", path), 0644), 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", f->workspace);
    assert_int_equal(bind(server, (struct sockaddr *)&address, sizeof(address)), 0);
    make_directory(f, "d");
    assert_int_equal(symlink("..", ws_path(f, "d/up", path)), 0);
    assert_int_equal(symlink("self", ws_path(f, "self", path)), 0);
    assert_int_equal(symlink("a", ws_path(f, "link", path)), 0);
    put_text(f, "a", "x");
    expect(search(f, "{\"pattern\": \"x\"}"), "matches", "a:1:x", 1);
    expect(search(f, "{\"pattern\": \"x\", \"path\": \"d/up\"}"), "matches", "d/up/a:1:x", 1);
    expect_error(search(f, "{\"pattern\": \"x\", \"path\": \"fifo\"}"), "it is a FIFO");
    expect_error(search(f, "{\"pattern\": \"x\", \"path\": \"socket\"}"), "it is a socket");
    expect_error(search(f, "{\"pattern\": \"x\", \"path\": \"/dev/null\"}"), "device");
    expect_error(search(f, "{\"pattern\": \"x\", \"path\": \"/dev/zero\"}"), "never end");
    expect_error(search(f, "{\"pattern\": \"x\", \"path\": \"self\"}"), "symbolic links");
    expect_error(search(f, "{\"pattern\": \"x\", \"path\": \"/proc/self/environ\"}"), "process");
    close(server);
}

/* ---- files by name ---------------------------------------------------------------------------- */

static void files_by_name(void **state)
{
    struct fixture *f = *state;

    make_directory(f, "src");
    make_directory(f, "src/main");
    put_text(f, "src/main.py", "");
    put_text(f, "src/old_main.c", "");
    put_text(f, "src/main/x.py", "");
    put_text(f, "top.py", "");
    expect(search(f, "{\"pattern\": \"*.py\", \"target\": \"files\"}"), "files",
           "src/main.py|src/main/x.py|top.py", 3);
    expect(search(f, "{\"pattern\": \"main\", \"target\": \"files\"}"), "files",
           "src/main.py|src/old_main.c", 2);
    expect(search(f, "{\"pattern\": \"main\", \"target\": \"find\", \"include_dirs\": true}"),
           "files", "src/main|src/main.py|src/old_main.c", 3);
    expect(search(f, "{\"pattern\": \"src/*.py\", \"target\": \"files\"}"), "files", "src/main.py",
           1);
    expect(search(f, "{\"pattern\": \"src/**/*.py\", \"target\": \"files\"}"), "files",
           "src/main.py|src/main/x.py", 2);
    expect(search(f, "{\"pattern\": \"*.{c,h}\", \"target\": \"files\"}"), "files",
           "src/old_main.c", 1);
    expect(search(f, "{\"pattern\": \"../../**\", \"target\": \"files\"}"), "files", "", 0);
    expect(search(f, "{\"pattern\": \"*\", \"target\": \"files\", \"limit\": 1, \"offset\": 1}"),
           "files", "src/main/x.py", 4);
}

static void file_glob_chooses(void **state)
{
    struct fixture *f = *state;

    make_directory(f, "t");
    put_text(f, "a.py", "x");
    put_text(f, "t/b.py", "x");
    put_text(f, "c.js", "x");
    expect(search(f, "{\"pattern\": \"x\", \"file_glob\": \"*.py\"}"), "matches",
           "a.py:1:x|t/b.py:1:x", 2);
    expect(search(f, "{\"pattern\": \"x\", \"file_glob\": \"!*.py\"}"), "matches", "c.js:1:x", 1);
    expect(search(f, "{\"pattern\": \"x\", \"file_glob\": \"t/*.py\"}"), "matches", "t/b.py:1:x",
           1);
    expect(search(f, "{\"pattern\": \"x\", \"file_glob\": \"/etc/*\"}"), "matches", "", 0);
}

static void set_age(struct fixture *f, const char *name, time_t seconds)
{
    struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    char path[PATH_MAX];

    assert_int_equal(utimensat(AT_FDCWD, ws_path(f, name, path), times, 0), 0);
}

static void newest_first(void **state)
{
    struct fixture *f = *state;

    put_text(f, "a", "x");
    put_text(f, "b", "x");
    put_text(f, "c", "x");
    set_age(f, "a", 2000);
    set_age(f, "b", 3000);
    set_age(f, "c", 1000);
    expect(search(f, "{\"pattern\": \"x\", \"order\": \"modified\"}"), "matches",
           "b:1:x|a:1:x|c:1:x", 3);
    expect(search(f, "{\"pattern\": \"*\", \"target\": \"files\", \"order\": \"modified\"}"),
           "files", "b|a|c", 3);
}

/* ---- paths ------------------------------------------------------------------------------------ */

static void paths(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    make_directory(f, "one");
    make_directory(f, "two dirs");
    put_text(f, "one/a", "x");
    put_text(f, "two dirs/b", "x");
    expect(search(f, "{\"pattern\": \"x\", \"path\": \"one/\"}"), "matches", "one/a:1:x", 1);
    expect(search(f, "{\"pattern\": \"x\", \"path\": \"two dirs\"}"), "matches", "two dirs/b:1:x",
           1);
    r = search(f, "{\"pattern\": \"x\", \"path\": \"one, two dirs\"}");
    assert_has(get_text(r, "note"), "2 paths");
    expect(r, "matches", "one/a:1:x|two dirs/b:1:x", 2);
    expect(search(f, "{\"pattern\": \"x\", \"path\": \"one one/a\"}"), "matches", "one/a:1:x", 1);
    r = search(f, "{\"pattern\": \"x\", \"path\": \"onee\"}");
    assert_string_equal(json_string_value(json_array_get(json_object_get(r, "similar_paths"), 0)),
                        "one");
    expect_error(r, "Path not found: onee");
    expect_error(search(f, "{\"pattern\": \"x\", \"path\": \"one, three\"}"), "Path not found");
    expect_error(search(f, "{\"pattern\": \"x\", \"path\": \"\"}"), "empty");
}

/* ---- nothing found ---------------------------------------------------------------------------- */

static void nothing_found_is_explained(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, "a", "Needle\nf(x)\n");
    put_text(f, ".h", "secret\n");
    expect_warning(search(f, "{\"pattern\": \"needle\"}"), "Ignoring case");
    expect_warning(search(f, "{\"pattern\": \"f(x)\"}"), "As plain text");
    expect_warning(search(f, "{\"pattern\": \"secret\"}"), "hidden or ignored files");
    expect_warning(search(f, "{\"pattern\": \"*.H\", \"target\": \"files\"}"), "");
    put_text(f, "x.py", "");
    expect_warning(search(f, "{\"pattern\": \"X.py\", \"target\": \"files\"}"), "Ignoring case");
    r = search(f, "{\"pattern\": \"nowhere at all\"}");
    assert_null(json_object_get(r, "warning"));
    json_decref(r);
}

static void bad_arguments(void **state)
{
    struct fixture *f = *state;

    put_text(f, "a", "x");
    expect_error(search(f, "{\"pattern\": \"a(b\"}"), "Invalid regular expression");
    expect_error(search(f, "{}"), "pattern");
    expect_error(search(f, "{\"pattern\": 5}"), "must be a string");
    expect_error(search(f, "{\"pattern\": \"x\", \"target\": \"dirs\"}"), "target");
    expect_error(search(f, "{\"pattern\": \"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}\", "
                           "\"target\": \"files\"}"),
                 "alternatives");
    expect(search(f, "{\"pattern\": \"x\", \"limit\": -5, \"offset\": -1, \"context\": -2}"),
           "matches", "a:1:x", 1);
    expect(search(f, "{\"pattern\": \"x\", \"limit\": \"7\"}"), "matches", "a:1:x", 1);
    expect(search(f, "{\"pattern\": \"\"}"), "matches", "a:1:x", 1);
}

/* ---- limits ----------------------------------------------------------------------------------- */

static void catastrophic_patterns_are_errors(void **state)
{
    struct fixture *f = *state;
    char *line = malloc(1 << 20);
    uint64_t start = clock_now_ns();
    json_t *r = NULL;

    memset(line, 'a', (1 << 20) - 1);
    line[(1 << 20) - 1] = '!';
    put_bytes(f, "a", line, 1 << 20);
    free(line);
    expect_error(search(f, "{\"pattern\": \"(a+)+$\"}"), "too expensive");
    put_text(f, "b", "aaa\n");
    r = search(f, "{\"pattern\": \"^(a+)+$\"}"); /* what can be matched is */
    assert_has(get_text(r, "warning"), "backtracking");
    assert_true(get_bool(r, "total_count_is_lower_bound"));
    expect(r, "matches", "b:1:aaa", 1);
    assert_true(clock_now_ns() - start < 30 * NS_PER_S);
}

/* Long enough that it is still at it when it is to stop. */
static void put_slow_files(struct fixture *f)
{
    size_t size = 4 << 20;
    char *line = malloc(size);
    char name[32];

    memset(line, 'a', size);
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof(name), "slow%d", i);
        put_bytes(f, name, line, size);
    }
    put_text(f, "0", "aaab\n");
    free(line);
}

/* From every place in the line to its end: quadratic, and no backtracking that a limit counts. */
#define SLOW "[a-z]+[0-9]"

static void *cancel_soon(void *user)
{
    usleep(100000);
    eventfd_write(*(int *)user, 1);
    return NULL;
}

static void cancel_is_heard_at_once(void **state)
{
    struct fixture *f = *state;
    pthread_t thread;
    uint64_t start = 0;
    json_t *r = NULL;

    put_slow_files(f);
    f->call.cancel_fd = eventfd(0, EFD_CLOEXEC);
    pthread_create(&thread, NULL, cancel_soon, &f->call.cancel_fd);
    start = clock_now_ns();
    r = search(f, "{\"pattern\": \"" SLOW "\"}");
    assert_true(clock_now_ns() - start < 10 * NS_PER_S); /* 0.1 s where nothing else runs */
    assert_has(get_text(r, "error"), "cancelled");
    json_decref(r);
    pthread_join(thread, NULL);
    close(f->call.cancel_fd);
    f->call.cancel_fd = -1;
}

static void deadline_brings_home_what_was_found(void **state)
{
    struct fixture *f = *state;
    uint64_t start = clock_now_ns();
    json_t *r = NULL;

    put_slow_files(f);
    f->call.deadline_ns = clock_now_ns() + NS_PER_S;
    r = search(f, "{\"pattern\": \"" SLOW "\"}");
    assert_true(clock_now_ns() - start < 20 * NS_PER_S);
    assert_no_error(r);
    assert_string_equal(get_text(r, "limit_reason"), "search_timeout");
    assert_true(get_bool(r, "total_count_is_lower_bound"));
    assert_true(json_is_array(json_object_get(r, "matches")));
    json_decref(r);
    f->call.deadline_ns = 0;
}

static void deep_trees_are_cut(void **state)
{
    struct fixture *f = *state;
    int at = open(f->workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
    json_t *r = NULL;

    put_text(f, "x", "");
    for (int i = 0; i < 400; i++) {
        int next = -1;
        assert_int_equal(mkdirat(at, "directory", 0755), 0);
        next = openat(at, "directory", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = next;
    }
    close(at);
    r = search(f, "{\"pattern\": \"x\", \"target\": \"files\"}");
    assert_string_equal(get_text(r, "limit_reason"), "search_depth");
    expect(r, "files", "x", 1);
}

static void huge_results_come_in_pages(void **state)
{
    struct fixture *f = *state;
    size_t size = 50000 * 500;
    char *text = malloc(size);
    json_t *r = NULL;

    memset(text, 'x', size);
    for (size_t i = 499; i < size; i += 500) {
        text[i] = '\n';
    }
    put_bytes(f, "a", text, size);
    free(text);
    r = search(f, "{\"pattern\": \"x\", \"limit\": 20000, \"context\": 1}");
    assert_no_error(r);
    assert_true(get_bool(r, "truncated"));
    assert_int_equal(get_int(r, "next_offset"), json_array_size(json_object_get(r, "matches")) -
                                                    1 /* the context after the last */);
    json_decref(r);
    r = search(f, "{\"pattern\": \"x\", \"limit\": 99999999}");
    assert_has(get_text(r, "_warning"), "lowered");
    json_decref(r);
}

static void many_searches_at_once(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 100; i++) {
        put_text(f, "a", "x\n");
        expect(search(f, "{\"pattern\": \"x\"}"), "matches", "a:1:x", 1);
    }
}

/* In a child of its own, whose limit of processes is of no use to it afterwards. */
static void without_threads_it_goes_on_with_one(void **state)
{
    struct fixture *f = *state;
    struct rlimit none = {0, 0};
    int status = 0;
    pid_t child = 0;

    put_text(f, "a", "x\n");
    child = fork();
    if (child == 0) {
        bool ok = false;
        json_t *r = NULL;
        if (geteuid() == 0 && setuid(65534) < 0) { /* root is not counted */
            _exit(2);
        }
        setrlimit(RLIMIT_NPROC, &none);
        chmod(f->workspace, 0755);
        r = search(f, "{\"pattern\": \"x\", \"path\": \"/etc/passwd\"}");
        ok = json_object_get(r, "error") == NULL && get_int(r, "total_count") >= 0;
        _exit(ok ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(rows_of_a_tree),
        FIXTURE_TEST(shape_is_the_same_at_every_size),
        FIXTURE_TEST(modes),
        FIXTURE_TEST(context_rows),
        FIXTURE_TEST(pages_join_to_the_whole),
        FIXTURE_TEST(long_rows_are_cut_at_characters),
        FIXTURE_TEST(large_files),
        FIXTURE_TEST(encodings),
        FIXTURE_TEST(multi_line_when_a_newline_is_written),
        FIXTURE_TEST(hidden_ignored_binary_are_counted),
        FIXTURE_TEST(rules_above_the_root_hold),
        FIXTURE_TEST(credentials_are_left_out_and_counted),
        FIXTURE_TEST(special_files_do_not_hold_it_up),
        FIXTURE_TEST(files_by_name),
        FIXTURE_TEST(file_glob_chooses),
        FIXTURE_TEST(newest_first),
        FIXTURE_TEST(paths),
        FIXTURE_TEST(nothing_found_is_explained),
        FIXTURE_TEST(bad_arguments),
        FIXTURE_TEST(catastrophic_patterns_are_errors),
        FIXTURE_TEST(deadline_brings_home_what_was_found),
        FIXTURE_TEST(deep_trees_are_cut),
        FIXTURE_TEST(huge_results_come_in_pages),
        FIXTURE_TEST(many_searches_at_once),
        FIXTURE_TEST(without_threads_it_goes_on_with_one),
        FIXTURE_TEST(cancel_is_heard_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
