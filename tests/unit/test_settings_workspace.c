/* SPDX-License-Identifier: MIT
 *
 * The default workspace rule, on a small tree: base/home/user/project and a link to the home.
 */
#include "api/workspace.h"

#include "base/err.h"

#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
    char base[64];
    char home_parent[96], home[96], project[128], link[96], sibling[96], file[96];
};

static int start(void **state)
{
    struct tree *tree = calloc(1, sizeof *tree);
    char made[] = "/tmp/ptc-test-workspace-XXXXXX";

    char *real = mkdtemp(made) ? realpath(made, NULL) : NULL;
    if (!real)
        return -1;
    snprintf(tree->base, sizeof tree->base, "%s", real);
    free(real);
    snprintf(tree->home_parent, sizeof tree->home_parent, "%s/home", tree->base);
    snprintf(tree->home, sizeof tree->home, "%s/home/user", tree->base);
    snprintf(tree->project, sizeof tree->project, "%s/home/user/project", tree->base);
    snprintf(tree->link, sizeof tree->link, "%s/link", tree->base);
    snprintf(tree->sibling, sizeof tree->sibling, "%s/home/use", tree->base);
    snprintf(tree->file, sizeof tree->file, "%s/file", tree->base);
    mkdir(tree->home_parent, 0700);
    mkdir(tree->home, 0700);
    mkdir(tree->project, 0700);
    mkdir(tree->sibling, 0700);
    fclose(fopen(tree->file, "w"));
    *state = tree;
    return symlink(tree->home, tree->link);
}

static int end(void **state)
{
    struct tree *tree = *state;

    unlink(tree->link);
    unlink(tree->file);
    rmdir(tree->sibling);
    rmdir(tree->project);
    rmdir(tree->home);
    rmdir(tree->home_parent);
    rmdir(tree->base);
    free(tree);
    return 0;
}

static void chosen(const char *named, const char *cwd, const char *home, const char *expected)
{
    struct err err = ERR_INIT;
    char *path = NULL;

    if (workspace_choose(named, cwd, home, &path, &err) != 0)
        fail_msg("%s", err.text);
    assert_string_equal(path, expected);
    free(path);
}

static void refused(const char *named, const char *cwd, const char *home, int code,
                    const char *words)
{
    struct err err = ERR_INIT;
    char *path = NULL;

    assert_int_equal(workspace_choose(named, cwd, home, &path, &err), code);
    assert_null(path);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static void a_project_is_taken(void **state)
{
    struct tree *tree = *state;

    chosen(NULL, tree->project, tree->home, tree->project);
    chosen(NULL, tree->sibling, tree->home, tree->sibling); /* a prefix of the name is no parent */
    chosen(NULL, tree->project, NULL, tree->project);
    chosen(NULL, tree->project, "/", tree->project); /* the home of many service users */
}

static void home_and_its_parents_are_refused(void **state)
{
    struct tree *tree = *state;

    refused(NULL, tree->home, tree->home, -EINVAL, "is your home directory");
    refused(NULL, tree->link, tree->home, -EINVAL, "is your home directory");
    refused(NULL, tree->home, tree->link, -EINVAL, "is your home directory");
    refused(NULL, tree->home_parent, tree->home, -EINVAL, "holds your home directory");
    refused(NULL, tree->base, tree->home, -EINVAL, "holds your home directory");
    refused(NULL, "/", NULL, -EINVAL, "--workspace '/'");
    refused(NULL, "/tmp/..", "/", -EINVAL, "is the root");
}

static void a_home_that_is_not_there_counts(void **state)
{
    struct tree *tree = *state;
    char gone[160];

    snprintf(gone, sizeof gone, "%s/gone", tree->base);
    refused(NULL, tree->base, gone, -EINVAL, "holds your home directory");
}

static void a_named_one_may_be_any_directory(void **state)
{
    struct tree *tree = *state;

    chosen(tree->home, NULL, tree->home, tree->home);
    chosen(tree->link, NULL, tree->home, tree->home);
    chosen("/", NULL, tree->home, "/");
    refused(tree->file, NULL, NULL, -EINVAL, "is not a directory");
    refused("/nonexistent/x", NULL, NULL, -ENOENT, "No such file");
}

static void here(void **state)
{
    struct tree *tree = *state;
    struct err err = ERR_INIT;
    char *path = NULL;

    assert_int_equal(chdir(tree->project), 0);
    setenv("HOME", tree->home, 1);
    assert_int_equal(workspace_choose_here(NULL, &path, &err), 0);
    assert_string_equal(path, tree->project);
    free(path);
    path = NULL;
    assert_int_equal(chdir(tree->home), 0);
    assert_int_equal(workspace_choose_here(NULL, &path, &err), -EINVAL);
    unsetenv("HOME"); /* the password file's home is somewhere else */
    assert_int_equal(workspace_choose_here(NULL, &path, &err), 0);
    free(path);
    assert_int_equal(chdir("/"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_project_is_taken),
        cmocka_unit_test(home_and_its_parents_are_refused),
        cmocka_unit_test(a_home_that_is_not_there_counts),
        cmocka_unit_test(a_named_one_may_be_any_directory),
        cmocka_unit_test(here),
    };

    return cmocka_run_group_tests(tests, start, end);
}
