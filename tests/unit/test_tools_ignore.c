/* SPDX-License-Identifier: MIT
 *
 * gitignore: single rules, and whole random trees against `git check-ignore`, which is what decides
 * when we differ.
 */
#include "test_tools_fixture.h"

#include "tools/ignore.h"
#include "tools/walk.h"

static enum ignore_verdict verdict(const char *rules, const char *path, bool is_directory)
{
    struct ignore_rules *parsed = ignore_rules_parse(rules, strlen(rules));
    enum ignore_verdict result = IGNORE_SILENT;

    assert_non_null(parsed);
    result = ignore_rules_match(parsed, path, is_directory);
    ignore_rules_free(parsed);
    return result;
}

static void single_rules(void **state)
{
    (void)state;
    assert_int_equal(verdict("*.o", "a/b.o", false), IGNORE_DROP);
    assert_int_equal(verdict("*.o\n!b.o", "a/b.o", false), IGNORE_KEEP);
    assert_int_equal(verdict("!b.o\n*.o", "a/b.o", false), IGNORE_DROP);
    assert_int_equal(verdict("build/", "build", true), IGNORE_DROP);
    assert_int_equal(verdict("build/", "build", false), IGNORE_SILENT);
    assert_int_equal(verdict("/x", "x", false), IGNORE_DROP);
    assert_int_equal(verdict("/x", "a/x", false), IGNORE_SILENT);
    assert_int_equal(verdict("a/x", "b/a/x", false), IGNORE_SILENT);
    assert_int_equal(verdict("**/x", "b/a/x", false), IGNORE_DROP);
    assert_int_equal(verdict("# x\n\\#y", "#y", false), IGNORE_DROP);
    assert_int_equal(verdict("\\!z", "!z", false), IGNORE_DROP);
    assert_int_equal(verdict("trail  ", "trail", false), IGNORE_DROP);
    assert_int_equal(verdict("trail\\ ", "trail ", false), IGNORE_DROP);
    assert_int_equal(verdict("crlf\r\nnext", "crlf", false), IGNORE_DROP);
    assert_int_equal(verdict("\xef\xbb\xbf"
                             "bom",
                             "bom", false),
                     IGNORE_DROP);
    assert_int_equal(verdict("", "x", false), IGNORE_SILENT);
    assert_int_equal(verdict("\n\n  \n/\n!\n!/\n", "x", true), IGNORE_SILENT);
    assert_int_equal(verdict("no_newline_at_end", "no_newline_at_end", false), IGNORE_DROP);
}

/* ---- against git ------------------------------------------------------------------------------ */

static unsigned random_next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

#define PICK(seed, list) ((list)[random_next(seed) % (sizeof(list) / sizeof((list)[0]))])

static const char *const names[] = {"a", "b", "foo", "bar.o", "foo.txt", "baz.log", "ab", "x y"};

/* A line of a .gitignore. */
static void rule_write(FILE *file, unsigned *seed)
{
    static const char *const parts[] = {
        "a",    "b",    "foo",     "*",   "*.o",   "f*",  "?",      "ba?*", "**",  "[ab]",
        "[!a]", "*.t*", "foo.txt", "x y", "bar.o", "*o*", "[a-f]*", "\\a",  "**o", "[[:alpha:]]"};
    static const char *const fronts[] = {"", "", "", "", "/", "!", "!", "!/", "**/", "#", " "};
    static const char *const ends[] = {"", "", "", "", "/", "/**", "/*", " ", "\\ ", "  ", "\r"};
    unsigned count = 1 + random_next(seed) % 3;

    fputs(PICK(seed, fronts), file);
    for (unsigned i = 0; i < count; i++) {
        fprintf(file, "%s%s", i > 0 ? "/" : "", PICK(seed, parts));
        if (random_next(seed) % 2 == 0) {
            break;
        }
    }
    fputs(PICK(seed, ends), file);
    fputc('\n', file);
}

static void rules_write(const char *directory, const char *name, unsigned *seed)
{
    char path[512];
    FILE *file = NULL;

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    file = fopen(path, "we");
    assert_non_null(file);
    for (unsigned i = 1 + random_next(seed) % 5; i > 0; i--) {
        rule_write(file, seed);
    }
    fclose(file);
}

static void tree_write(const char *directory, unsigned depth, unsigned *seed)
{
    if (random_next(seed) % 3 == 0) {
        rules_write(directory, ".gitignore", seed);
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
        if (depth > 0 && random_next(seed) % 3 == 0) {
            assert_int_equal(mkdir(path, 0755), 0);
            tree_write(path, depth - 1, seed);
        } else if (random_next(seed) % 2 == 0) {
            close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
        }
    }
}

/* What we find, one name a line, sorted. */
static void ours_write(struct fixture *f, const char *directory, const char *output)
{
    json_t *result =
        fixture_call(f, "search_files",
                     json_pack("{s:s, s:s, s:s, s:i, s:b}", "pattern", "*", "target", "files",
                               "path", directory, "limit", 20000, "include_hidden", 0));
    const json_t *files = json_object_get(result, "files");
    FILE *file = fopen(output, "we");

    assert_no_error(result);
    assert_non_null(file);
    for (size_t i = 0; i < json_array_size(files); i++) {
        fprintf(file, "%s\n", json_string_value(json_array_get(files, i)) + strlen(directory) + 1);
    }
    fclose(file);
    json_decref(result);
}

/* Every file that git does not ignore, the same way. A file below an ignored directory is ignored
 * for git too. */
static void compare_with_git(struct fixture *f, unsigned seed)
{
    char directory[128], command[1024], ours[160];
    unsigned start = seed;

    snprintf(directory, sizeof(directory), "%s/t%u", f->workspace, start);
    snprintf(ours, sizeof(ours), "%s/ours", f->root);
    assert_int_equal(mkdir(directory, 0755), 0);
    snprintf(command, sizeof(command),
             "cd %s && GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null git init -q . && "
             "mkdir -p .git/info",
             directory);
    assert_int_equal(system(command), 0);
    tree_write(directory, 3, &seed);
    rules_write(directory, ".git/info/exclude", &seed);
    ours_write(f, directory, ours);
    snprintf(command, sizeof(command),
             "cd %s && export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null LC_ALL=C; "
             "find . -name '.?*' -prune -o -type f -print | sed 's|^./||' | sort > %s/all; "
             "git -c core.quotePath=false check-ignore --no-index --stdin < %s/all | sort > "
             "%s/gone; comm -23 %s/all %s/gone > %s/theirs; sort %s | diff %s/theirs - >&2",
             directory, f->root, f->root, f->root, f->root, f->root, f->root, ours, f->root);
    if (system(command) != 0) {
        fail_msg("seed %u: we differ from git (< theirs, > ours)", start);
    }
}

static void random_trees_as_git_sees_them(void **state)
{
    if (system("git --version > /dev/null 2>&1") != 0) {
        print_message("SKIPPED: there is no git\n");
        return;
    }
    for (unsigned seed = 1; seed <= 60; seed++) {
        compare_with_git(*state, seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(single_rules),
        FIXTURE_TEST(random_trees_as_git_sees_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
