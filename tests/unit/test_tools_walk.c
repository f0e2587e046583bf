/* SPDX-License-Identifier: MIT
 *
 * The walk by itself: everything is visited exactly once, by however many threads.
 */
#include "test_tools_fixture.h"

#include "base/clock.h"
#include "tools/walk.h"

#include <pthread.h>

struct tally {
    atomic_uint files, directories, finished, released;
    atomic_ullong sum; /* of the numbers that are the files' names */
    unsigned stop_after;
    struct walk *walk;
};

static bool tally_wants(void *user, const char *path, const char *name, bool is_directory)
{
    (void)user;
    (void)path;
    return is_directory || name[0] != 'n';
}

static void tally_visit(void *user, unsigned worker, const struct walk_entry *entry)
{
    struct tally *tally = user;

    assert_true(worker < WALK_THREADS_MAX);
    assert_int_equal(faccessat(entry->directory_fd, entry->name, F_OK, 0), 0);
    assert_string_equal(entry->absolute + strlen(entry->absolute) - strlen(entry->path),
                        entry->path);
    if (entry->is_directory) {
        atomic_fetch_add(&tally->directories, 1);
        return;
    }
    atomic_fetch_add(&tally->sum, strtoul(entry->name, NULL, 10));
    if (atomic_fetch_add(&tally->files, 1) + 1 == tally->stop_after) {
        walk_stop(tally->walk, WALK_SATISFIED);
    }
}

static void tally_finish(void *user)
{
    atomic_fetch_add(&((struct tally *)user)->finished, 1);
}

static void tally_release(void *user)
{
    atomic_fetch_add(&((struct tally *)user)->released, 1);
}

/* 40 directories in each other and beside each other, and `count` files with numbers as names. */
static void tree_make(struct fixture *f, unsigned count)
{
    char name[64], path[PATH_MAX];

    for (unsigned i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), i % 2 == 0 ? "d%u" : "d%u/e", i / 2 * 2);
        assert_int_equal(mkdir(ws_path(f, name, path), 0755), 0);
    }
    for (unsigned i = 1; i <= count; i++) {
        unsigned d = i % 40;
        if (i % 3 == 0) { /* many in one directory */
            snprintf(name, sizeof(name), "%u", i);
        } else {
            snprintf(name, sizeof(name), d % 2 == 0 ? "d%u/%u" : "d%u/e/%u", d / 2 * 2, i);
        }
        put_text(f, name, "");
    }
    put_text(f, "not wanted", "");
}

static int run(struct fixture *f, struct tally *tally, struct walk_options options,
               struct walk_counts *counts)
{
    struct walk_visitor visitor = {tally_wants, tally_visit, tally_finish, tally_release, tally};
    struct walk_root *roots = calloc(1, sizeof(*roots));
    int r = 0;

    options.depth_max = options.depth_max != 0 ? options.depth_max : 100;
    options.entries_max = options.entries_max != 0 ? options.entries_max : 1000000;
    roots[0] = (struct walk_root){.fd = open(f->workspace, O_PATH | O_DIRECTORY | O_CLOEXEC),
                                  .real = strdup(f->workspace),
                                  .shown = strdup("")};
    tally->walk = walk_new(&options, &visitor, roots, 1);
    assert_non_null(tally->walk);
    r = walk_run(tally->walk, &f->call, clock_now_ns() + 60 * NS_PER_S);
    walk_get_counts(tally->walk, counts);
    walk_unref(tally->walk);
    for (int i = 0; i < 2000 && atomic_load(&tally->released) == 0; i++) {
        usleep(1000); /* the last thread is on its way out */
    }
    assert_int_equal(tally->released, 1);
    return r;
}

static void all_is_visited_once(void **state)
{
    struct walk_counts counts;

    tree_make(*state, 2000);
    for (unsigned threads = 1; threads <= WALK_THREADS_MAX; threads++) {
        struct tally tally = {0};
        assert_int_equal(run(*state, &tally,
                             (struct walk_options){.threads = threads, .include_directories = true},
                             &counts),
                         0);
        assert_int_equal(tally.files, 2000);
        assert_int_equal(tally.directories, 40);
        assert_int_equal(tally.sum, 2000ull * 2001 / 2);
        assert_int_equal(tally.finished, 1);
        assert_int_equal(counts.entries, 2041);
    }
}

static void limits_stop_it(void **state)
{
    struct tally few = {.stop_after = 10}, shallow = {0}, small = {0};
    struct walk_counts counts;

    tree_make(*state, 2000);
    assert_int_equal(run(*state, &few, (struct walk_options){.threads = 4}, &counts), 0);
    assert_true(few.files >= 10 && few.files < 10 + 4 * 33);
    assert_int_equal(run(*state, &shallow, (struct walk_options){.depth_max = 1}, &counts), 0);
    assert_int_equal(counts.too_deep, 20);
    assert_int_equal(run(*state, &small, (struct walk_options){.entries_max = 100}, &counts), 0);
    assert_true(small.files < 2000);
    assert_int_equal(small.finished, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(all_is_visited_once),
        FIXTURE_TEST(limits_stop_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
