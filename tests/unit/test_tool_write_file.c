/* SPDX-License-Identifier: MIT
 *
 * write_file: rows L14 to L20 of the behaviour table and the reports behind them.
 */
#include "test_tools_fixture.h"

#include "tools/yaml_check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/xattr.h>

static struct stat ws_stat(struct fixture *f, const char *name)
{
    char path[PATH_MAX];
    struct stat status;

    assert_int_equal(lstat(ws_path(f, name, path), &status), 0);
    return status;
}

/* No temporary file is left in the directory. */
static void assert_no_leftovers(struct fixture *f, const char *directory)
{
    char path[PATH_MAX];
    DIR *stream = opendir(ws_path(f, directory, path));
    struct dirent *entry = NULL;

    assert_non_null(stream);
    while ((entry = readdir(stream)) != NULL) {
        assert_null(strstr(entry->d_name, "tmp"));
    }
    closedir(stream);
}

/* L14 */
static void a_new_tree_gets_the_modes_of_the_umask(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    json_t *r = fixture_write(f, "a/b/c/new.txt", "text\n");

    assert_no_error(r);
    assert_int_equal(get_int(r, "bytes_written"), 5);
    assert_true(get_bool(r, "dirs_created"));
    assert_true(get_bool(r, "verified"));
    assert_string_equal(get_text(r, "resolved_path"), ws_path(f, "a/b/c/new.txt", path));
    assert_string_equal(json_string_value(json_array_get(json_object_get(r, "files_modified"), 0)),
                        path);
    assert_string_equal(get_text(json_object_get(r, "lint"), "status"), "skipped");
    assert_null(json_object_get(r, "_warning"));
    assert_int_equal(ws_stat(f, "a/b").st_mode & 07777, 0755);
    assert_int_equal(ws_stat(f, "a/b/c/new.txt").st_mode & 07777, 0644);
    json_decref(r);
    r = fixture_write(f, "a/b/c/new.txt", "more\n");
    assert_false(get_bool(r, "dirs_created"));
    json_decref(r);
    assert_bytes(f, "a/b/c/new.txt", "more\n", 5);
    assert_no_leftovers(f, "a/b/c");
}

/* L15 */
static void a_link_stays_and_its_target_is_replaced(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    json_t *r = NULL;

    put_text(f, "target", "old");
    assert_int_equal(chmod(ws_path(f, "target", path), 0600), 0);
    assert_int_equal(symlink("target", ws_path(f, "link", path)), 0);
    r = fixture_write(f, "link", "new");
    assert_no_error(r);
    assert_string_equal(get_text(r, "resolved_path"), ws_path(f, "target", path));
    json_decref(r);
    assert_true(S_ISLNK(ws_stat(f, "link").st_mode));
    assert_int_equal(ws_stat(f, "target").st_mode & 07777, 0600);
    assert_bytes(f, "target", "new", 3);
    assert_int_equal(symlink("nowhere/yet", ws_path(f, "dangling", path)), 0);
    r = fixture_write(f, "dangling", "x");
    assert_no_error(r);
    json_decref(r);
    assert_bytes(f, "nowhere/yet", "x", 1);
}

static void line_ends_and_mark_of_the_old_file_are_kept(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    put_text(f, "w", "\xef\xbb\xbfold\r\nfile\r\n");
    r = fixture_write(f, "w", "new\nfile\n\n");
    assert_int_equal(get_int(r, "bytes_written"), 16);
    json_decref(r);
    assert_bytes(f, "w", "\xef\xbb\xbfnew\r\nfile\r\n\r\n", 16);
    put_text(f, "u", "old\n");
    json_decref(fixture_write(f, "u", "a\r\nb\n"));
    assert_bytes(f, "u", "a\r\nb\n", 5);
}

static void text_is_written_as_it_is(void **state)
{
    struct fixture *f = *state;
    const char *texts[] = {"<b>&amp;</b>\n", "cat <<'EOF'\nEOF\n", "a|b\n", "$HOME `id`\\n"};

    for (int i = 0; i < 4; i++) {
        json_decref(fixture_write(f, "t", texts[i]));
        assert_bytes(f, "t", texts[i], strlen(texts[i]));
    }
    json_decref(fixture_call(
        f, "write_file", json_pack("{s:s, s:s%}", "path", "nul", "content", "a\0b", (size_t)3)));
    assert_bytes(f, "nul", "a\0b", 3);
}

/* L16 */
static void broken_data_files_are_not_written(void **state)
{
    struct fixture *f = *state;
    const char *names[] = {"new.json", "old.json", "new.toml", "old.toml", "deep/er/new.json"};
    const char *bad[] = {"{\"a\": 1,\n  oops}", "{\"a\": [1, 2}", "a = 1\nBROKEN", "BROKEN", "{"};

    put_text(f, "old.json", "{}");
    put_text(f, "old.toml", "a = 1");
    for (int i = 0; i < 5; i++) {
        json_t *r = fixture_write(f, names[i], bad[i]);
        assert_has(get_text(r, "error"), names[i]);
        assert_has(get_text(r, "error"), "line ");
        assert_has(get_text(r, "error"), "column ");
        assert_string_equal(get_text(json_object_get(r, "lint"), "status"), "error");
        json_decref(r);
    }
    assert_false(exists(f, "new.json"));
    assert_false(exists(f, "new.toml"));
    assert_false(exists(f, "deep"));
    assert_bytes(f, "old.json", "{}", 2);
    assert_bytes(f, "old.toml", "a = 1", 5);
}

static void json_faults_name_line_and_column(void **state)
{
    struct fixture *f = *state;
    json_t *r = fixture_write(f, "x.json", "{\n  \"a\": 1,\n  oops\n}\n");

    assert_has(get_text(r, "error"), "line 3");
    assert_has(get_text(r, "error"), "JSONDecodeError");
    json_decref(r);
}

static bool build_checks_yaml(void)
{
    struct yaml_fault fault;

    return yaml_check("a: 1", 4, &fault) != -ENOTSUP;
}

static void broken_yaml_is_not_written(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *name, *text, *words;
    } rows[] = {
        {"new.yaml", "a: [1", "YAMLError: did not find expected ',' or ']' (line 2, column 1)"},
        {"old.yml", "é: b: c", "mapping values are not allowed in this context (line 1, column 5)"},
        {"new.yml", "é: 1\nb: é\x01", "control characters are not allowed (line 2, column 5)"},
        {"new.YAML", "a:\n\t- b", "(line 2, column 1)"},
    };

    if (!build_checks_yaml())
        skip(); /* a build without libyaml */
    put_text(f, "old.yml", "a: 1");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *r = fixture_write(f, rows[i].name, rows[i].text);
        assert_has(get_text(r, "error"), rows[i].words);
        assert_string_equal(get_text(json_object_get(r, "lint"), "status"), "error");
        json_decref(r);
    }
    assert_false(exists(f, "new.yaml"));
    assert_false(exists(f, "new.yml"));
    assert_bytes(f, "old.yml", "a: 1", 4);
}

static void lawful_yaml_is_written(void **state)
{
    struct fixture *f = *state;
    const char *texts[] = {"",
                           "a: 1",
                           "---\na: 1\n---\nb: !custom {c: [d, e]}\n...\n",
                           "\xef\xbb\xbf\r\na: \xf0\x9f\x98\x80\r\n",
                           "a: {{ .Values.image }}\n",
                           "a: 1\na: 2\nb: *unknown\n"};
    char deep[4001] = "";

    if (!build_checks_yaml())
        skip(); /* a build without libyaml */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *r = fixture_write(f, "x.yaml", texts[i]);
        assert_no_error(r);
        assert_string_equal(get_text(json_object_get(r, "lint"), "status"), "ok");
        json_decref(r);
    }
    memset(deep, '[', sizeof deep - 1);
    json_t *r = fixture_write(f, "deep.yaml", deep);
    assert_no_error(r);
    assert_has(get_text(json_object_get(r, "lint"), "message"), "beyond what this parser");
    json_decref(r);
}

static void lawful_json_is_written(void **state)
{
    struct fixture *f = *state;
    const char *texts[] = {"{\"a\": 1, \"a\": 2}",
                           "3",
                           "\"text\"",
                           "[123456789012345678901234567890]",
                           "[1e999]",
                           "\xef\xbb\xbf{}",
                           "{\"a\": \"\\u0000\"}"};
    json_t *r = NULL;
    char *deep = malloc(200001);

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        r = fixture_write(f, "x.json", texts[i]);
        assert_no_error(r);
        json_decref(r);
    }
    memset(deep, '[', 100000);
    memset(deep + 100000, ']', 100000);
    deep[200000] = '\0';
    r = fixture_write(f, "deep.json", deep);
    assert_string_equal(get_text(json_object_get(r, "lint"), "status"), "skipped");
    json_decref(r);
    free(deep);
}

/* L17 */
static void broken_python_is_written_and_reported(void **state)
{
    struct fixture *f = *state;
    json_t *r = fixture_write(f, "x.py", "a = 1\nBROKEN\n");
    json_t *lint = json_object_get(r, "lint");

    assert_string_equal(get_text(lint, "status"), "error");
    assert_string_equal(get_text(lint, "output"), "SyntaxError: invalid syntax (line 2, column 1)");
    json_decref(r);
    assert_bytes(f, "x.py", "a = 1\nBROKEN\n", 13);
    r = fixture_write(f, "x.py", "a = 2\nBROKEN\n");
    lint = json_object_get(r, "lint");
    assert_has(get_text(lint, "message"), "still broken");
    json_decref(r);
    r = fixture_write(f, "x.py", "BROKEN\n");
    lint = json_object_get(r, "lint");
    assert_has(get_text(lint, "output"), "line 1");
    assert_has(get_text(lint, "message"), "left out");
    json_decref(r);
    r = fixture_write(f, "x.py", "a = 3\n");
    assert_string_equal(get_text(json_object_get(r, "lint"), "status"), "ok");
    json_decref(r);
}

static void without_an_interpreter_nothing_is_claimed(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    f->config.check_syntax = NULL;
    r = fixture_write(f, "x.toml", "BROKEN");
    assert_no_error(r);
    assert_string_equal(get_text(json_object_get(r, "lint"), "status"), "skipped");
    json_decref(r);
}

/* L19 */
static void sensitive_places_are_refused(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    const char *names[] = {"~/.ssh/id_rsa",
                           "~/.ssh/new/deep",
                           "/etc/passwd",
                           "link",
                           "/tmp/../etc/x",
                           "/etc",
                           "~/.netrc",
                           "~/.env",
                           "/root/.aws/credentials",
                           "/home/x/.config/gh/y",
                           "hop/passwd",
                           "/boot/x",
                           "/run/docker.sock"};

    assert_int_equal(symlink("/etc/passwd", ws_path(f, "link", path)), 0);
    assert_int_equal(symlink("/etc", ws_path(f, "hop", path)), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        json_t *r = fixture_write(f, names[i], "x");
        assert_has(get_text(r, "error"), "refused");
        assert_has(get_text(r, "error"), names[i]);
        json_decref(r);
    }
    snprintf(path, sizeof(path), "%s/.ssh", f->home);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* L20 */
static void write_roots_hold(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX], roots[PATH_MAX + 32], outside[256];
    json_t *r = NULL;

    assert_int_equal(mkdir(ws_path(f, "safe", path), 0755), 0);
    snprintf(roots, sizeof(roots), "/nonexistent:%s/", path);
    f->config.write_roots = roots;
    r = fixture_write(f, "safe/in", "x");
    assert_no_error(r);
    json_decref(r);
    r = fixture_write(f, "out", "x");
    assert_has(get_text(r, "error"), "outside");
    json_decref(r);
    r = fixture_write(f, "safer", "x");
    assert_has(get_text(r, "error"), "outside");
    json_decref(r);
    snprintf(outside, sizeof(outside), "%s/escape", f->home);
    assert_int_equal(symlink(outside, ws_path(f, "safe/link", path)), 0);
    r = fixture_write(f, "safe/link", "x");
    assert_has(get_text(r, "error"), "outside");
    json_decref(r);
    assert_int_equal(symlink("safe/in", ws_path(f, "inward", path)), 0);
    r = fixture_write(f, "inward", "y");
    assert_no_error(r);
    json_decref(r);
}

/* Reports 91766 and 46465: numbered lines are written, with a warning. */
static void display_text_is_only_warned_about(void **state)
{
    struct fixture *f = *state;
    json_t *r = fixture_write(f, "t", "1|a\n2|b\n");

    assert_no_error(r);
    assert_has(get_text(r, "_warning"), "raw=True");
    json_decref(r);
    assert_bytes(f, "t", "1|a\n2|b\n", 8);
    r = fixture_write(f, "t", "1|a\n7|b\nx\n");
    assert_null(json_object_get(r, "_warning"));
    json_decref(r);
}

static void warnings_tell_what_else_happened(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX], other[PATH_MAX];
    json_t *r = NULL;

    put_text(f, "a", "x");
    assert_int_equal(link(ws_path(f, "a", path), ws_path(f, "b", other)), 0);
    r = fixture_write(f, "a", "y");
    assert_has(get_text(r, "_warning"), "hard links");
    json_decref(r);
    assert_bytes(f, "b", "x", 1);
    r = fixture_write(f, "../elsewhere", "y");
    assert_has(get_text(r, "_warning"), "out of the workspace");
    json_decref(r);
    json_decref(fixture_read(f, "b"));
    put_text(f, "b", "changed by somebody");
    r = fixture_write(f, "b", "z");
    assert_has(get_text(r, "_warning"), "changed on disk");
    json_decref(r);
    r = fixture_write(f, "b", "z2");
    assert_null(json_object_get(r, "_warning"));
    json_decref(r);
}

static void wrong_arguments_are_answered(void **state)
{
    struct fixture *f = *state;
    json_t *args[] = {
        json_pack("{s:s}", "path", "t"),
        json_pack("{s:s}", "content", "t"),
        json_pack("{s:s, s:n}", "path", "t", "content"),
        json_pack("{s:s, s:i}", "path", "t", "content", 3),
        json_pack("{s:s, s:s}", "path", "", "content", "x"),
        json_pack("{s:s%, s:s}", "path", "a\0b", (size_t)3, "content", "x"),
        json_pack("{s:s, s:s}", "path", "dir/", "content", "x"),
        json_pack("{s:s, s:s}", "path", ".", "content", "x"),
        json_pack("{s:s, s:s}", "path", "/", "content", "x"),
    };
    json_t *r = NULL;

    for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
        r = fixture_call(f, "write_file", args[i]);
        assert_true(strlen(get_text(r, "error")) > 0);
        json_decref(r);
    }
    r = fixture_call(f, "write_file", json_pack("{s:s, s:{s:i}}", "path", "t", "content", "a", 1));
    assert_has(get_text(r, "error"), "json.dumps");
    json_decref(r);
    assert_false(exists(f, "dir"));
}

static void documents_and_odd_files_are_refused(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    const char *names[] = {"a.docx", "a.XLS", "old.pdf", "old.pot", "fifo", "file/below"};

    put_text(f, "old.pdf", "%PDF-");
    put_text(f, "file", "x");
    put_bytes(f, "old.pot", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8);
    assert_int_equal(mkfifo(ws_path(f, "fifo", path), 0644), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        json_t *r = fixture_write(f, names[i], "x");
        assert_has(get_text(r, "error"), "Failed to write file");
        json_decref(r);
    }
    json_decref(fixture_write(f, "new.pdf", "x"));
    json_decref(fixture_write(f, "new.pot", "msgid"));
    assert_true(exists(f, "new.pdf"));
    assert_true(exists(f, "new.pot"));
}

/* Reports 52467, 16743, 110170: the target is named, nothing is left behind. */
static void a_read_only_directory_is_an_error(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    json_t *r = NULL;

    if (skip_as_root("writing without permission")) {
        return;
    }
    assert_int_equal(mkdir(ws_path(f, "ro", path), 0755), 0);
    put_text(f, "ro/old", "x");
    assert_int_equal(chmod(path, 0555), 0);
    r = fixture_write(f, "ro/new", "x");
    assert_string_equal(get_text(r, "error"), "Failed to write file: ro/new: Permission denied");
    json_decref(r);
    r = fixture_write(f, "ro/old", "y");
    assert_has(get_text(r, "error"), "ro/old: Permission denied");
    json_decref(r);
    assert_bytes(f, "ro/old", "x", 1);
    put_text(f, "protected", "x");
    assert_int_equal(chmod(ws_path(f, "protected", path), 0444), 0);
    r = fixture_write(f, "protected", "y");
    assert_has(get_text(r, "error"), "Permission denied");
    json_decref(r);
    assert_bytes(f, "protected", "x", 1);
}

static void a_full_disk_leaves_the_old_file(void **state)
{
    struct fixture *f = *state;
    struct rlimit old, small = {.rlim_cur = 1000};
    char text[3000];
    json_t *r = NULL;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    put_text(f, "t", "old");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    r = fixture_write(f, "t", text);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_has(get_text(r, "error"), "t: File too large");
    json_decref(r);
    assert_bytes(f, "t", "old", 3);
    assert_no_leftovers(f, ".");
}

static void owner_and_attributes_are_kept(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX], value[8] = "";

    put_text(f, "t", "old");
    ws_path(f, "t", path);
    if (setxattr(path, "user.note", "kept", 4, 0) == 0) {
        json_decref(fixture_write(f, "t", "new"));
        assert_int_equal(getxattr(path, "user.note", value, sizeof(value)), 4);
        assert_memory_equal(value, "kept", 4);
    } else {
        print_message("SKIPPED: this file system has no user attributes\n");
    }
    if (geteuid() != 0) {
        print_message("SKIPPED: only root can keep another owner\n");
        return;
    }
    assert_int_equal(chown(path, 12345, 23456), 0);
    assert_int_equal(chmod(path, 04755), 0);
    json_decref(fixture_write(f, "t", "newer"));
    assert_int_equal(ws_stat(f, "t").st_uid, 12345);
    assert_int_equal(ws_stat(f, "t").st_gid, 23456);
    assert_int_equal(ws_stat(f, "t").st_mode & 07777, 04755);
}

static void a_large_text_is_verified(void **state)
{
    struct fixture *f = *state;
    size_t length = 8u << 20;
    char *text = malloc(length + 1);
    json_t *r = NULL;

    memset(text, 'y', length);
    text[length] = '\0';
    r = fixture_write(f, "large.json", text);
    assert_has(get_text(r, "error"), "valid JSON");
    json_decref(r);
    r = fixture_write(f, "large.txt", text);
    assert_true(get_bool(r, "verified"));
    assert_int_equal(get_int(r, "bytes_written"), (long long)length);
    json_decref(r);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(a_new_tree_gets_the_modes_of_the_umask),
        FIXTURE_TEST(a_link_stays_and_its_target_is_replaced),
        FIXTURE_TEST(line_ends_and_mark_of_the_old_file_are_kept),
        FIXTURE_TEST(text_is_written_as_it_is),
        FIXTURE_TEST(broken_data_files_are_not_written),
        FIXTURE_TEST(json_faults_name_line_and_column),
        FIXTURE_TEST(broken_yaml_is_not_written),
        FIXTURE_TEST(lawful_yaml_is_written),
        FIXTURE_TEST(lawful_json_is_written),
        FIXTURE_TEST(broken_python_is_written_and_reported),
        FIXTURE_TEST(without_an_interpreter_nothing_is_claimed),
        FIXTURE_TEST(sensitive_places_are_refused),
        FIXTURE_TEST(write_roots_hold),
        FIXTURE_TEST(display_text_is_only_warned_about),
        FIXTURE_TEST(warnings_tell_what_else_happened),
        FIXTURE_TEST(wrong_arguments_are_answered),
        FIXTURE_TEST(documents_and_odd_files_are_refused),
        FIXTURE_TEST(a_read_only_directory_is_an_error),
        FIXTURE_TEST(a_full_disk_leaves_the_old_file),
        FIXTURE_TEST(owner_and_attributes_are_kept),
        FIXTURE_TEST(a_large_text_is_verified),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
