/* SPDX-License-Identifier: MIT
 *
 * Where a script comes from, and what is said when it does not come.
 */
#include "cli/source.h"

#include "cli/options.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void refused(const struct cli_options *options, const char *words)
{
    struct source source;
    char problem[1024] = "";

    assert_int_equal(source_load(&source, options, problem, sizeof problem), -1);
    if (!strstr(problem, words))
        fail_msg("'%s' does not say '%s'", problem, words);
    source_deinit(&source);
}

static void code(void **state)
{
    struct source source;
    char problem[1024];

    (void)state;
    assert_int_equal(source_load(&source, &(struct cli_options){.code = "pass"}, problem, 1024), 0);
    assert_string_equal(source.code, "pass");
    assert_int_equal(source.code_length, 4);
    assert_null(source.path);
    source_deinit(&source);
    refused(&(struct cli_options){.code = ""}, "there is no code to run");
    refused(&(struct cli_options){.code = " \n\t"}, "there is no code to run");
}

static void files(void **state)
{
    char path[] = "/tmp/ptc-test-source-XXXXXX", problem[1024];
    int fd = mkstemp(path);
    struct cli_options options = {.script = path};
    struct source source;

    (void)state;
    refused(&options, "is empty");
    assert_int_equal(write(fd, "pass\n", 5), 5);
    assert_int_equal(source_load(&source, &options, problem, sizeof problem), 0);
    assert_string_equal(source.path, path);
    assert_null(source.code);
    source_deinit(&source);
    close(fd);
    unlink(path);
    refused(&options, "No such file");
    refused(&(struct cli_options){.script = "/tmp"}, "is a directory");
}

/* Loads from a pipe as standard input that holds data and ends. */
static int load_piped(struct source *source, const char *data, size_t length, char *problem)
{
    int fds[2], saved = dup(STDIN_FILENO);

    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], data, length), (int)length);
    close(fds[1]);
    dup2(fds[0], STDIN_FILENO);
    close(fds[0]);
    int r = source_load(source, &(struct cli_options){.script = "-"}, problem, 1024);
    dup2(saved, STDIN_FILENO);
    close(saved);
    return r;
}

static void standard_input(void **state)
{
    struct source source;
    char problem[1024];

    (void)state;
    assert_int_equal(load_piped(&source, "a\0b", 3, problem), 0);
    assert_int_equal(source.code_length, 3); /* a NUL is the interpreter's to refuse */
    assert_memory_equal(source.code, "a\0b", 3);
    source_deinit(&source);
    assert_int_equal(load_piped(&source, "\n", 1, problem), -1);
    assert_non_null(strstr(problem, "standard input is empty"));
    source_deinit(&source);
}

static void endless_input_is_refused(void **state)
{
    (void)state;
    refused(&(struct cli_options){.script = "/dev/zero"}, "larger than 32 MiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code),
        cmocka_unit_test(files),
        cmocka_unit_test(standard_input),
        cmocka_unit_test(endless_input_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
