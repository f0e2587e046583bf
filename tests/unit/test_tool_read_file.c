/* SPDX-License-Identifier: MIT
 *
 * read_file: rows L01 to L13 of the behaviour table, raw text, encodings, hostile names.
 */
#include "test_tools_fixture.h"

#include "tools/page.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

/* L01 */
static void offset_and_limit_are_clamped(void **state)
{
    struct fixture *f = *state;
    json_t *odd[] = {json_integer(0), json_integer(-5), json_string("abc"), json_true(),
                     json_null(),     json_real(1.0),   json_string("1")};

    put_text(f, "a", "one\ntwo\nthree\n");
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        json_t *r =
            fixture_call(f, "read_file",
                         json_pack("{s:s, s:o, s:i}", "path", "a", "offset", odd[i], "limit", 0));
        assert_string_equal(get_text(r, "content"), "1|one");
        assert_true(get_bool(r, "truncated"));
        assert_int_equal(get_int(r, "next_offset"), 2);
        json_decref(r);
    }
}

static void a_default_that_was_used_is_told(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, "a", "one\n");
    r = fixture_call(f, "read_file",
                     json_pack("{s:s, s:s, s:s}", "path", "a", "offset", "abc", "limit", "3"));
    assert_has(get_text(r, "_warning"), "'offset' is not an integer");
    assert_has(get_text(r, "_warning"), "'limit' was given as text");
    json_decref(r);
}

static void put_lines(struct fixture *f, const char *name, int count, const char *text)
{
    char *all = malloc((size_t)count * (strlen(text) + 1) + 1);
    char *at = all;

    for (int i = 0; i < count; i++) {
        at = stpcpy(stpcpy(at, text), "\n");
    }
    put_text(f, name, all);
    free(all);
}

static void limit_has_a_maximum_and_a_default(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_lines(f, "a", 3000, "x");
    r = fixture_call(f, "read_file", json_pack("{s:s, s:i}", "path", "a", "limit", 99999));
    assert_int_equal(get_int(r, "next_offset"), 2001);
    assert_string_equal(get_text(r, "truncated_by"), "lines");
    assert_has(get_text(r, "hint"), "1-2000 of 3000");
    json_decref(r);
    r = fixture_call(f, "read_file", json_pack("{s:s, s:n}", "path", "a", "limit"));
    assert_int_equal(get_int(r, "next_offset"), 501);
    json_decref(r);
}

/* L02 */
static void a_last_newline_makes_no_difference(void **state)
{
    struct fixture *f = *state;
    const char *texts[] = {"a\nb\nc\n", "a\nb\nc"};

    for (int i = 0; i < 2; i++) {
        json_t *r = NULL;
        put_text(f, "t", texts[i]);
        r = fixture_read(f, "t");
        assert_string_equal(get_text(r, "content"), "1|a\n2|b\n3|c");
        assert_int_equal(get_int(r, "total_lines"), 3);
        assert_int_equal(get_int(r, "file_size"), (int)strlen(texts[i]));
        assert_false(get_bool(r, "truncated"));
        assert_null(json_object_get(r, "next_offset"));
        json_decref(r);
    }
}

static void one_line_without_newline_is_one_line(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, "t", "alone");
    r = fixture_read(f, "t");
    assert_int_equal(get_int(r, "total_lines"), 1);
    assert_string_equal(get_text(r, "content"), "1|alone");
    json_decref(r);
}

static void empty_file_and_offset_past_the_end_are_hints(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, "empty", "");
    r = fixture_read(f, "empty");
    assert_string_equal(get_text(r, "content"), "");
    assert_int_equal(get_int(r, "total_lines"), 0);
    assert_has(get_text(r, "hint"), "0 bytes");
    json_decref(r);
    put_text(f, "t", "a\nb\n");
    r = fixture_call(f, "read_file", json_pack("{s:s, s:i}", "path", "t", "offset", 9));
    assert_string_equal(get_text(r, "content"), "");
    assert_has(get_text(r, "hint"), "2 lines");
    assert_false(get_bool(r, "truncated"));
    json_decref(r);
}

/* L04 */
static void devices_are_refused_by_any_name(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    const char *names[] = {
        "/dev/zero", "/dev/stdin",         "/proc/self/fd/0", "one",
        "loop",      "/dev/../dev/zero",   "//dev//zero",     "/dev/fd/1",
        "proc/0",    "/proc/self/environ", "/proc/1/maps",    "/proc/self/task/1/mem"};
    time_t start = time(NULL);

    assert_int_equal(symlink("two", ws_path(f, "one", path)), 0);
    assert_int_equal(symlink("/dev/zero", ws_path(f, "two", path)), 0);
    assert_int_equal(symlink("loop2", ws_path(f, "loop", path)), 0);
    assert_int_equal(symlink("loop", ws_path(f, "loop2", path)), 0);
    assert_int_equal(symlink("/proc/self/fd", ws_path(f, "proc", path)), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        json_t *r = fixture_read(f, names[i]);
        assert_has(get_text(r, "error"),
                   strcmp(names[i], "loop") == 0 ? "symbolic links" : "never opened");
        json_decref(r);
    }
    assert_true(time(NULL) - start < 5);
}

static void ordinary_proc_files_and_dev_null(void **state)
{
    struct fixture *f = *state;
    json_t *r = fixture_read(f, "/proc/cpuinfo");

    assert_no_error(r);
    assert_true(get_int(r, "total_lines") > 0);
    json_decref(r);
    r = fixture_read(f, "/dev/null");
    assert_has(get_text(r, "error"), "not a regular file (it is a character device)");
    json_decref(r);
}

/* L05 */
static void what_is_no_regular_file_is_refused_at_once(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const char *names[] = {"fifo", "sock", "dir", "."};
    const char *kinds[] = {"FIFO", "socket", "directory", "directory"};

    assert_int_equal(mkfifo(ws_path(f, "fifo", path), 0644), 0);
    assert_int_equal(mkdir(ws_path(f, "dir", path), 0755), 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/sock", f->workspace);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    for (int i = 0; i < 4; i++) {
        json_t *r = fixture_read(f, names[i]);
        assert_has(get_text(r, "error"), "not a regular file");
        assert_has(get_text(r, "error"), kinds[i]);
        json_decref(r);
    }
    close(fd);
}

/* L07 */
static void binary_files_are_named_by_type_and_size(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_bytes(f, "nul.txt", "abc\0def", 7);
    r = fixture_read(f, "nul.txt");
    assert_has(get_text(r, "error"), "Cannot read binary file");
    assert_has(get_text(r, "error"), "7 bytes");
    json_decref(r);
    put_bytes(f, "picture.txt", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    r = fixture_read(f, "picture.txt");
    assert_has(get_text(r, "error"), "PNG image");
    assert_true(get_bool(r, "is_image"));
    json_decref(r);
    put_text(f, "x.zip", "not really");
    r = fixture_read(f, "x.zip");
    assert_has(get_text(r, "error"), ".zip");
    json_decref(r);
    put_bytes(f, "gz", "\x1f\x8b\x08\xff\xfe", 5);
    r = fixture_read(f, "gz");
    assert_has(get_text(r, "error"), "gzip");
    json_decref(r);
}

/* L08 */
static void cjk_text_is_text_wherever_the_sample_ends(void **state)
{
    struct fixture *f = *state;

    for (int shift = 0; shift < 3; shift++) {
        char text[4000] = "";
        json_t *r = NULL;
        memset(text, 'a', (size_t)shift);
        for (int i = 0; i < 1000; i++) {
            strcpy(text + shift + i * 3, "漢");
        }
        put_text(f, "cjk.txt", text);
        r = fixture_read(f, "cjk.txt");
        assert_no_error(r);
        assert_string_equal(get_text(r, "encoding"), "utf-8");
        json_decref(r);
    }
}

/* L10 */
static void credential_names_are_refused(void **state)
{
    struct fixture *f = *state;
    const char *names[] = {".env", ".ENV", ".env.local", ".envrc"};
    char path[PATH_MAX];
    json_t *r = NULL;

    for (int i = 0; i < 4; i++) {
        put_text(f, names[i], "KEY=1\n");
        r = fixture_read(f, names[i]);
        assert_has(get_text(r, "error"), "Access denied");
        json_decref(r);
    }
    assert_int_equal(symlink(".env", ws_path(f, "innocent", path)), 0);
    r = fixture_read(f, "innocent");
    assert_has(get_text(r, "error"), "Access denied");
    json_decref(r);
    put_text(f, ".env.example", "KEY=\n");
    r = fixture_read(f, ".env.example");
    assert_string_equal(get_text(r, "content"), "1|KEY=");
    json_decref(r);
}

/* L11 */
static void the_budget_cuts_on_a_line_and_paging_reaches_the_end(void **state)
{
    struct fixture *f = *state;
    long long offset = 1, seen = 0;
    int pages = 0;

    put_lines(f, "big", 2000,
              "ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé"
              "éééééééééééééééééééééééééééééééééééé");
    while (offset > 0 && pages < 20) {
        json_t *r = fixture_call(
            f, "read_file",
            json_pack("{s:s, s:I, s:i}", "path", "big", "offset", offset, "limit", 2000));
        const char *content = get_text(r, "content");
        size_t chars = 0;
        char first[32];
        snprintf(first, sizeof(first), "%lld|", offset);
        assert_int_equal(strncmp(content, first, strlen(first)), 0);
        for (const char *at = content; *at != '\0'; at++) {
            chars += (*at & 0xc0) != 0x80;
            seen += *at == '|';
        }
        assert_true(chars <= 100000);
        offset = get_bool(r, "truncated") ? get_int(r, "next_offset") : 0;
        if (offset > 0) {
            assert_string_equal(get_text(r, "truncated_by"), "bytes");
            assert_true(chars > 99000);
        }
        json_decref(r);
        pages++;
    }
    assert_int_equal(seen, 2000);
    assert_in_range(pages, 2, 4);
}

static void long_lines_are_cut_at_2000_characters(void **state)
{
    struct fixture *f = *state;
    char *line = malloc(200001);
    json_t *r = NULL;
    const char *content = NULL;

    memset(line, 'x', 200000);
    line[200000] = '\0';
    put_text(f, "long", line);
    r = fixture_read(f, "long");
    content = get_text(r, "content");
    assert_int_equal(strlen(content), 2 + 2000 + strlen("... [truncated]"));
    assert_string_equal(content + 2002, "... [truncated]");
    json_decref(r);
    line[2000] = '\0';
    put_text(f, "long", line);
    r = fixture_read(f, "long");
    assert_int_equal(strlen(get_text(r, "content")), 2002);
    json_decref(r);
    free(line);
}

/* L13 */
static void unicode_twins_are_found(void **state)
{
    struct fixture *f = *state;
    const char *disk[] = {"a\xc2\xa0z.txt", "b\xe2\x80\xafPM.txt", "it\xe2\x80\x99s.txt",
                          "cafe\xcc\x81.txt", "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab.txt"};
    const char *asked[] = {"a z.txt", "b PM.txt", "it's.txt", "caf\xc3\xa9.txt",
                           "\xed\x95\x9c.txt"};
    json_t *r = NULL;

    for (int i = 0; i < 5; i++) {
        put_text(f, disk[i], "found\n");
        r = fixture_read(f, asked[i]);
        assert_string_equal(get_text(r, "content"), "1|found");
        assert_has(get_text(r, "note"), disk[i]);
        json_decref(r);
    }
    put_text(f, "a\xe2\x80\xafz.txt", "second twin\n");
    r = fixture_read(f, "a z.txt");
    assert_has(get_text(r, "error"), "File not found");
    json_decref(r);
}

static void a_missing_file_names_similar_ones(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    json_t *r = NULL;
    json_t *similar = NULL;

    assert_int_equal(mkdir(ws_path(f, "src", path), 0755), 0);
    put_text(f, "src/README.md", "x");
    put_text(f, "src/readme.txt", "x");
    put_text(f, "src/zebra.c", "x");
    r = fixture_read(f, "src/readme.md");
    assert_has(get_text(r, "error"), "File not found: src/readme.md");
    similar = json_object_get(r, "similar_files");
    assert_int_equal(json_array_size(similar), 2);
    assert_string_equal(json_string_value(json_array_get(similar, 0)), "src/README.md");
    assert_string_equal(json_string_value(json_array_get(similar, 1)), "src/readme.txt");
    json_decref(r);
    r = fixture_read(f, "no/such/dir");
    assert_has(get_text(r, "error"), "File not found");
    json_decref(r);
    r = fixture_read(f, "src/zebra.c/x");
    assert_has(get_text(r, "error"), "Not a directory");
    json_decref(r);
}

static void crlf_is_stripped_for_display_and_reported(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, "w", "a\r\nb\r\n");
    r = fixture_read(f, "w");
    assert_string_equal(get_text(r, "content"), "1|a\n2|b");
    assert_string_equal(get_text(r, "line_ending"), "crlf");
    json_decref(r);
    put_text(f, "w", "a\r\nb\n");
    r = fixture_read(f, "w");
    assert_string_equal(get_text(r, "line_ending"), "mixed");
    json_decref(r);
}

static void a_byte_order_mark_is_dropped(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, "b", "\xef\xbb\xbfhi\n");
    r = fixture_read(f, "b");
    assert_string_equal(get_text(r, "content"), "1|hi");
    assert_string_equal(get_text(r, "encoding"), "utf-8-sig");
    assert_int_equal(get_int(r, "file_size"), 6);
    json_decref(r);
}

static void utf16_is_converted(void **state)
{
    struct fixture *f = *state;
    static const char le[] = "\xff\xfeh\0i\0\r\0\n\0=\xd8\x00\xde";
    static const char be[] = "\0h\0i\0\n\0x";
    json_t *r = NULL;

    put_bytes(f, "le", le, sizeof(le) - 1);
    r = fixture_read(f, "le");
    assert_string_equal(get_text(r, "content"), "1|hi\n2|\xf0\x9f\x98\x80");
    assert_string_equal(get_text(r, "encoding"), "utf-16-le");
    assert_has(get_text(r, "hint"), "utf-16-le");
    json_decref(r);
    put_bytes(f, "be", be, sizeof(be) - 1);
    r = fixture_read(f, "be");
    assert_string_equal(get_text(r, "content"), "1|hi\n2|x");
    json_decref(r);
}

static void legacy_text_is_shown_with_replacements(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, "latin", "caf\xe9 cr\xe8me\n");
    r = fixture_read(f, "latin");
    assert_string_equal(get_text(r, "content"), "1|caf\xef\xbf\xbd cr\xef\xbf\xbdme");
    assert_string_equal(get_text(r, "encoding"), "unknown-8bit");
    assert_has(get_text(r, "_warning"), "base64");
    json_decref(r);
}

static json_t *read_raw(struct fixture *f, const char *path)
{
    return fixture_call(f, "read_file", json_pack("{s:s, s:b}", "path", path, "raw", 1));
}

/* Reports 46465, 57060: what raw=True gives can be written back. */
static void raw_and_write_file_are_an_identity(void **state)
{
    struct fixture *f = *state;
    static const char *const texts[] = {"a\nb\n",
                                        "a\nb",
                                        "",
                                        "\n\n",
                                        "a\r\nb\r\n",
                                        "a\r\nb\nc\r\n",
                                        "1|a|b\n",
                                        "\r",
                                        "\xef\xbb\xbfx\n",
                                        "\xef\xbb\xbf"
                                        "a\r\nb\r\n"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        json_t *r = NULL, *w = NULL;
        put_text(f, "t", texts[i]);
        r = read_raw(f, "t");
        assert_string_equal(get_text(r, "content"), texts[i]);
        w = fixture_write(f, "t", get_text(r, "content"));
        assert_no_error(w);
        assert_bytes(f, "t", texts[i], strlen(texts[i]));
        json_decref(w);
        w = fixture_write(f, "new", get_text(r, "content"));
        assert_bytes(f, "new", texts[i], strlen(texts[i]));
        json_decref(w);
        json_decref(r);
        assert_int_equal(unlinkat(f->config.workspace_fd, "new", 0), 0);
    }
}

static void raw_gives_the_whole_file_unless_asked_for_less(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_lines(f, "many", 60000, "0123456789");
    r = fixture_call(f, "read_file",
                     json_pack("{s:s, s:b, s:i}", "path", "many", "raw", 1, "limit", 500));
    assert_int_equal(json_string_length(json_object_get(r, "content")), 660000);
    assert_false(get_bool(r, "truncated"));
    json_decref(r);
    r = fixture_call(
        f, "read_file",
        json_pack("{s:s, s:b, s:i, s:i}", "path", "many", "raw", 1, "offset", 59999, "limit", 1));
    assert_string_equal(get_text(r, "content"), "0123456789\n");
    assert_int_equal(get_int(r, "next_offset"), 60000);
    json_decref(r);
}

/* A line that is too long for a reply is never passed off as the whole text. */
static void raw_says_when_a_line_was_cut(void **state)
{
    struct fixture *f = *state;
    size_t length = PAGE_RAW_BYTES_MAX + 1000;
    char *text = malloc(length + 1);
    json_t *r = NULL;

    memset(text, 'x', length);
    text[length] = '\0';
    put_text(f, "long", text);
    free(text);
    r = read_raw(f, "long");
    assert_true(get_bool(r, "truncated"));
    assert_string_equal(get_text(r, "truncated_by"), "bytes");
    assert_null(json_object_get(r, "next_offset")); /* no line follows */
    assert_has(get_text(r, "_warning"), "was cut");
    json_decref(r);
}

static void raw_reads_text_whatever_the_extension(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, "x.dat", "plain\n");
    r = read_raw(f, "x.dat");
    assert_string_equal(get_text(r, "content"), "plain\n");
    json_decref(r);
}

static void base64_carries_any_bytes(void **state)
{
    struct fixture *f = *state;
    static const char *const expect[] = {"", "AA==", "AAE=", "AAEC", "AAECAw=="};
    const char bytes[] = {0, 1, 2, 3};

    for (size_t n = 0; n <= 4; n++) {
        json_t *r = NULL;
        put_bytes(f, "x.bin", bytes, n);
        r = fixture_call(f, "read_file",
                         json_pack("{s:s, s:s}", "path", "x.bin", "encoding", "base64"));
        assert_string_equal(get_text(r, "content"), expect[n]);
        assert_string_equal(get_text(r, "encoding"), "base64");
        assert_int_equal(get_int(r, "file_size"), (int)n);
        json_decref(r);
    }
}

static void notebooks_are_extracted(void **state)
{
    struct fixture *f = *state;
    const char *notebook =
        "{\"cells\":[{\"cell_type\":\"markdown\",\"source\":[\"# T\\n\",\"text\"]},"
        "{\"cell_type\":\"code\",\"source\":\"print(1)\",\"outputs\":["
        "{\"output_type\":\"stream\",\"text\":[\"1\\n\"]},"
        "{\"output_type\":\"display_data\",\"data\":{\"image/png\":\"iVBOR\"}}]}]}";
    json_t *r = NULL;

    put_text(f, "n.ipynb", notebook);
    r = fixture_read(f, "n.ipynb");
    assert_true(get_bool(r, "extracted_document"));
    assert_has(get_text(r, "content"), "[markdown] cell 1");
    assert_has(get_text(r, "content"), "|print(1)");
    assert_has(get_text(r, "content"), "image/png not shown");
    json_decref(r);
    r = read_raw(f, "n.ipynb");
    assert_string_equal(get_text(r, "content"), notebook);
    json_decref(r);
    put_text(f, "n.ipynb", "not json\n");
    r = fixture_read(f, "n.ipynb");
    assert_string_equal(get_text(r, "content"), "1|not json");
    json_decref(r);
}

/* Report 44843: no "unchanged" stubs, no loop guards. */
static void reading_again_gives_the_content_again(void **state)
{
    struct fixture *f = *state;

    put_text(f, "t", "same\n");
    for (int i = 0; i < 6; i++) {
        json_t *r = fixture_read(f, "t");
        assert_string_equal(get_text(r, "content"), "1|same");
        assert_null(json_object_get(r, "_warning"));
        json_decref(r);
    }
}

static void a_huge_file_is_streamed(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    json_t *r = NULL;

    put_lines(f, "huge", 100, "some text");
    assert_int_equal(truncate(ws_path(f, "huge", path), 256ll << 20), 0); /* a hole of zeros */
    r = fixture_call(f, "read_file", json_pack("{s:s, s:i}", "path", "huge", "limit", 2));
    assert_no_error(r);
    assert_string_equal(get_text(r, "content"), "1|some text\n2|some text");
    assert_int_equal(get_int(r, "total_lines"), 101);
    assert_int_equal(get_int(r, "file_size"), 256ll << 20);
    json_decref(r);
}

static void a_deadline_ends_the_reading(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, "t", "x\n");
    f->call.deadline_ns = 1;
    r = fixture_read(f, "t");
    assert_has(get_text(r, "error"), "time limit of the run");
    json_decref(r);
}

static void permissions_are_reported(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    json_t *r = NULL;

    if (skip_as_root("reading without permission")) {
        return;
    }
    put_text(f, "secret", "x");
    assert_int_equal(chmod(ws_path(f, "secret", path), 0), 0);
    r = fixture_read(f, "secret");
    assert_has(get_text(r, "error"), "secret: Permission denied");
    json_decref(r);
}

static void paths_have_the_workspace_as_base(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    json_t *r = NULL;

    put_text(f, "t", "in\n");
    snprintf(path, sizeof(path), "%s/t", f->home);
    assert_int_equal(symlink("../ws/t", path), 0);
    r = fixture_read(f, "~/t");
    assert_string_equal(get_text(r, "content"), "1|in");
    json_decref(r);
    r = fixture_read(f, "./x/.././t");
    assert_string_equal(get_text(r, "content"), "1|in");
    json_decref(r);
    r = fixture_read(f, ws_path(f, "t", path));
    assert_string_equal(get_text(r, "content"), "1|in");
    json_decref(r);
    r = fixture_read(f, "../ws/t");
    assert_string_equal(get_text(r, "content"), "1|in");
    json_decref(r);
}

static void hostile_arguments_are_answered(void **state)
{
    struct fixture *f = *state;
    char *huge = malloc(100001);
    json_t *args[] = {
        json_pack("{}"),
        json_pack("{s:n}", "path"),
        json_pack("{s:i}", "path", 3),
        json_pack("{s:[s]}", "path", "a"),
        json_pack("{s:s}", "path", ""),
        json_pack("{s:s%}", "path", "a\0b", (size_t)3),
        json_pack("{s:s, s:s}", "path", "t", "encoding", "rot13"),
        json_array(),
        json_null(),
    };

    memset(huge, 'a', 100000);
    huge[100000] = '\0';
    for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
        json_t *r = fixture_call(f, "read_file", args[i]);
        assert_true(strlen(get_text(r, "error")) > 0);
        json_decref(r);
    }
    json_decref(fixture_read(f, huge));
    for (size_t i = 0; i < 100000; i += 2) {
        huge[i] = '/';
    }
    json_decref(fixture_read(f, huge));
    free(huge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(offset_and_limit_are_clamped),
        FIXTURE_TEST(a_default_that_was_used_is_told),
        FIXTURE_TEST(limit_has_a_maximum_and_a_default),
        FIXTURE_TEST(a_last_newline_makes_no_difference),
        FIXTURE_TEST(one_line_without_newline_is_one_line),
        FIXTURE_TEST(empty_file_and_offset_past_the_end_are_hints),
        FIXTURE_TEST(devices_are_refused_by_any_name),
        FIXTURE_TEST(ordinary_proc_files_and_dev_null),
        FIXTURE_TEST(what_is_no_regular_file_is_refused_at_once),
        FIXTURE_TEST(binary_files_are_named_by_type_and_size),
        FIXTURE_TEST(cjk_text_is_text_wherever_the_sample_ends),
        FIXTURE_TEST(credential_names_are_refused),
        FIXTURE_TEST(the_budget_cuts_on_a_line_and_paging_reaches_the_end),
        FIXTURE_TEST(long_lines_are_cut_at_2000_characters),
        FIXTURE_TEST(unicode_twins_are_found),
        FIXTURE_TEST(a_missing_file_names_similar_ones),
        FIXTURE_TEST(crlf_is_stripped_for_display_and_reported),
        FIXTURE_TEST(a_byte_order_mark_is_dropped),
        FIXTURE_TEST(utf16_is_converted),
        FIXTURE_TEST(legacy_text_is_shown_with_replacements),
        FIXTURE_TEST(raw_and_write_file_are_an_identity),
        FIXTURE_TEST(raw_gives_the_whole_file_unless_asked_for_less),
        FIXTURE_TEST(raw_says_when_a_line_was_cut),
        FIXTURE_TEST(raw_reads_text_whatever_the_extension),
        FIXTURE_TEST(base64_carries_any_bytes),
        FIXTURE_TEST(notebooks_are_extracted),
        FIXTURE_TEST(reading_again_gives_the_content_again),
        FIXTURE_TEST(a_huge_file_is_streamed),
        FIXTURE_TEST(a_deadline_ends_the_reading),
        FIXTURE_TEST(permissions_are_reported),
        FIXTURE_TEST(paths_have_the_workspace_as_base),
        FIXTURE_TEST(hostile_arguments_are_answered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
