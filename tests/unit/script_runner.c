/* SPDX-License-Identifier: MIT
 *
 * Runs one script the way a zygote does: interpreter up, frozen, forked, run, _exit. For the tests
 * of the endings and of test_script.py.
 *
 *     script_runner [--text] [--preload A,B] [--filename NAME] [--path DIR] [--time] FILE [ARGS]
 *
 * --text: the code is text from a host, not the bytes of a file. Ends with the script's status.
 */
#include "base/err.h"
#include "python/interp.h"
#include "python/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/wait.h>
#include <unistd.h>

#define PRELOAD_MAX 64

struct runner {
    bool is_text;
    bool is_timed;
    char *preload;
    const char *filename;
    const char *extra_path;
    const char *file;
    char **arguments;
    int argument_count;
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int runner_usage(void)
{
    fputs("usage: script_runner [--text] [--preload A,B] [--filename NAME] [--path DIR] [--time] "
          "FILE [ARGS]\n",
          stderr);
    return 64;
}

static bool runner_parse(struct runner *runner, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--text") == 0) {
            runner->is_text = true;
        } else if (strcmp(argv[i], "--time") == 0) {
            runner->is_timed = true;
        } else if (strcmp(argv[i], "--preload") == 0 && i + 1 < argc) {
            runner->preload = argv[++i];
        } else if (strcmp(argv[i], "--filename") == 0 && i + 1 < argc) {
            runner->filename = argv[++i];
        } else if (strcmp(argv[i], "--path") == 0 && i + 1 < argc) {
            runner->extra_path = argv[++i];
        } else {
            return false;
        }
    }
    if (i >= argc) {
        return false;
    }
    runner->file = argv[i];
    runner->arguments = argv + i + 1;
    runner->argument_count = argc - i - 1;
    return true;
}

static int runner_start(struct runner *runner)
{
    static const char *const paths[] = {TEST_PYTHON_STDLIB, TEST_PYTHON_STDLIB "/lib-dynload",
                                        "/usr/lib/python3/dist-packages"};
    const char *preload[PRELOAD_MAX];
    struct interp_config config = {TEST_PYTHON_EXECUTABLE, "/usr", paths, 3, preload, 0};
    char *rest = runner->preload;
    while (rest != NULL && config.preload_count < PRELOAD_MAX) {
        preload[config.preload_count++] = strsep(&rest, ",");
    }
    struct err err = ERR_INIT;
    double before = now_ms();
    if (interp_init(&config, NULL, &err) < 0) {
        fprintf(stderr, "script_runner: %s\n", err.text);
        return -1;
    }
    if (runner->is_timed) {
        fprintf(stderr, "interp_init %.2f ms\n", now_ms() - before);
    }
    if (interp_preload_failures() != NULL) {
        fprintf(stderr, "script_runner: %s\n", interp_preload_failures());
    }
    interp_freeze();
    return 0;
}

static char *runner_read(const char *path, size_t *ret_length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file == NULL || getdelim(&text, &(size_t){0}, EOF, file) < 0) {
        text = calloc(1, 1);
    }
    *ret_length = file == NULL ? 0 : (size_t)ftell(file);
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

static int runner_child(const struct runner *runner, const char *code, size_t length)
{
    interp_after_fork_child();
    struct script_source source = {
        .code = code,
        .code_length = length,
        .filename = runner->filename != NULL ? runner->filename : runner->file,
        .is_bytes = !runner->is_text,
        .argv = (const char *const *)runner->arguments,
        .argv_count = (size_t)runner->argument_count,
        .argv0 = runner->file,
        .extra_path = &runner->extra_path,
        .extra_path_count = runner->extra_path != NULL,
    };
    if (runner->is_timed && script_warm_up("import sys\nx = sys.stdout\n") < 0) {
        return 70;
    }
    struct script_outcome outcome;
    double before = now_ms();
    script_run(&source, &outcome);
    if (runner->is_timed) {
        fprintf(stderr, "script_run %.3f ms\n", now_ms() - before);
    }
    return outcome.signal != 0 ? 128 + outcome.signal : outcome.exit_code;
}

int main(int argc, char **argv)
{
    struct runner runner = {0};
    if (!runner_parse(&runner, argc, argv)) {
        return runner_usage();
    }
    if (runner_start(&runner) < 0) {
        return 70;
    }
    size_t length;
    char *code = runner_read(runner.file, &length);
    interp_before_fork();
    pid_t child = fork();
    if (child == 0) {
        _exit(runner_child(&runner, code, length));
    }
    interp_after_fork_parent();
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    free(code);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
