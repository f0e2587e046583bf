/* SPDX-License-Identifier: MIT
 *
 * The interpreter after interp_init: configuration, signals, preload, forks. One interpreter for
 * the whole program, started with a parent's bad habits on purpose (ignored and blocked signals).
 */
#include "base/err.h"
#include "python/interp.h"
#include "python/object.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define EXECUTABLE TEST_PYTHON_EXECUTABLE

static const char *const search_paths[] = {TEST_PYTHON_STDLIB, TEST_PYTHON_STDLIB "/lib-dynload",
                                           "/usr/lib/python3/dist-packages"};
static const char *const preload[] = {"json",      "no_such_module", "random",
                                      "threading", "also.missing",   "multiprocessing"};

static struct PyModuleDef builtin_probe = {PyModuleDef_HEAD_INIT, .m_name = "builtin_probe"};

static PyObject *builtin_probe_init(void)
{
    return PyModuleDef_Init(&builtin_probe);
}

static const struct _inittab inittab[] = {{"builtin_probe", builtin_probe_init}, {NULL, NULL}};

#define HANDLERS                                                                                   \
    "[getattr(signal.getsignal(n), '__name__', None) or str(signal.getsignal(n)) for n in "        \
    "range(1, 65) if n in signal.valid_signals()]"
#define MASKS                                                                                      \
    "[line.split() for line in open('/proc/self/status') if line[:6] in ('SigIgn', 'SigCgt', "     \
    "'SigBlk')]"

/* Taken before cmocka installs handlers of its own around each test. */
static char *masks_after_start;

static char *evaluate(const char *expression);

static int start(void **state)
{
    (void)state;
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGPIPE, SIG_DFL);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &blocked, NULL);
    struct rlimit stack;
    (void)getrlimit(RLIMIT_STACK, &stack);
    stack.rlim_cur = 1 << 20;
    (void)setrlimit(RLIMIT_STACK, &stack);
    (void)setenv("PYTHONPATH", "/nowhere", 1);
    (void)setenv("PYTHONHOME", "/nowhere", 1);
    (void)setenv("PATH", "/nowhere", 1);

    const struct interp_config config = {EXECUTABLE, "/usr", search_paths, 3, preload, 6};
    struct err err = ERR_INIT;
    int status = interp_init(&config, inittab, &err);
    if (status < 0) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    interp_freeze();
    masks_after_start = evaluate(MASKS);
    return 0;
}

/* eval(expression) as text, to be freed. */
static char *evaluate(const char *expression)
{
    _cleanup_object_ PyObject *globals = PyDict_New();
    PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins());
    _cleanup_object_ PyObject *imports =
        PyRun_String("import sys, signal, builtins, random", Py_file_input, globals, globals);
    _cleanup_object_ PyObject *value = PyRun_String(expression, Py_eval_input, globals, globals);
    if (value == NULL) {
        PyErr_Print();
        return strdup("exception");
    }
    _cleanup_object_ PyObject *text = PyObject_Str(value);
    return strdup(PyUnicode_AsUTF8(text));
}

static void assert_evaluates(const char *expression, const char *expected)
{
    char *found = evaluate(expression);
    if (strcmp(found, expected) != 0) {
        fail_msg("%s: %s, not %s", expression, found, expected);
    }
    free(found);
}

/* What python3 -I -S -c CODE prints, to be freed. Forked by hand and from default dispositions:
 * popen's posix_spawn leaves glibc's signals 32 and 33 ignored. */
static char *output_of_python(const char *code)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/usr/bin/env", "env", "--default-signal", EXECUTABLE, "-I", "-S", "-c", code, NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *output = fdopen(ends[0], "r");
    char *text = NULL;
    size_t size = 0;
    assert_true(getdelim(&text, &size, EOF, output) > 0);
    fclose(output);
    assert_int_equal(waitpid(child, NULL, 0), child);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

/* interp_init's answer in a fork of its own, before this process has an interpreter. The errno,
 * or 0 when it succeeded or gave no words. */
static int status_of_start(const char *stdlib, int closed_fd)
{
    pid_t child = fork();
    if (child == 0) {
        const struct interp_config config = {EXECUTABLE, "/usr", &stdlib, 1, NULL, 0};
        struct err err = ERR_INIT;
        close(STDERR_FILENO); /* CPython itself speaks of the missing codecs */
        dup2(STDIN_FILENO, STDERR_FILENO);
        if (closed_fd >= 0) {
            close(closed_fd);
        }
        int status = interp_init(&config, NULL, &err);
        _exit(err.text[0] == '\0' ? 0 : -status);
    }
    int status;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        return -1;
    }
    return WEXITSTATUS(status);
}

static int bad_stdlib_status;
static int closed_stdout_status;

static void test_failures_are_told(void **state)
{
    (void)state;
    assert_int_equal(bad_stdlib_status, EIO);
    assert_int_equal(closed_stdout_status, EBADF);
}

static void test_paths_are_the_given_ones(void **state)
{
    (void)state;
    assert_evaluates("sys.executable", EXECUTABLE);
    assert_evaluates("sys._base_executable", EXECUTABLE);
    assert_evaluates("{sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}",
                     "{'/usr'}");
    assert_evaluates("sys.path == ['" TEST_PYTHON_STDLIB "', '" TEST_PYTHON_STDLIB
                     "/lib-dynload', '/usr/lib/python3/dist-packages']",
                     "True");
}

static void test_flags_are_isolated(void **state)
{
    (void)state;
    assert_evaluates("(sys.flags.isolated, sys.flags.ignore_environment, sys.flags.no_user_site, "
                     "sys.flags.safe_path, sys.flags.utf8_mode, sys.dont_write_bytecode)",
                     "(1, 1, 1, True, 1, True)");
    assert_evaluates("(sys.flags.hash_randomization, sys.flags.dev_mode)", "(1, False)");
    assert_evaluates("sys.get_int_max_str_digits()", "4300");
    assert_evaluates("__import__('faulthandler').is_enabled()", "False");
}

static void test_stdio_is_forgiving_and_by_lines(void **state)
{
    (void)state;
    assert_evaluates("(sys.stdout.encoding, sys.stdout.errors, sys.stdout.line_buffering, "
                     "sys.stdout.write_through)",
                     "('utf-8', 'backslashreplace', True, False)");
    assert_evaluates("(sys.stdin.encoding, sys.stderr.errors)", "('utf-8', 'backslashreplace')");
}

static void test_site_builtins_without_site(void **state)
{
    (void)state;
    assert_evaluates("[n for n in ('exit', 'quit', 'copyright', 'credits', 'license', 'help') "
                     "if not callable(getattr(builtins, n, None))]",
                     "[]");
    assert_evaluates("'sitecustomize' in sys.modules", "False");
}

static void test_strftime_takes_other_alphabets(void **state)
{
    (void)state;
    assert_evaluates("__import__('time').strftime('%Y\xe5\xb9\xb4', (2024,1,1,0,0,0,0,1,0))",
                     "2024\xe5\xb9\xb4");
}

static void test_preload_failures_are_told(void **state)
{
    (void)state;
    assert_string_equal(interp_preload_failures(), "missing: no_such_module, also.missing");
    assert_evaluates("'json' in sys.modules", "True");
}

static void test_builtin_table_is_used(void **state)
{
    (void)state;
    assert_evaluates("'builtin_probe' in sys.builtin_module_names", "True");
    assert_evaluates("__import__('builtin_probe').__name__", "builtin_probe");
}

static void test_signal_table_is_python3s(void **state)
{
    (void)state;
    char *handlers = output_of_python("import signal; print(" HANDLERS ")");
    char *masks = output_of_python("print(" MASKS ")");
    assert_evaluates(HANDLERS, handlers);
    assert_string_equal(masks_after_start, masks);
    free(handlers);
    free(masks);
    free(masks_after_start);
}

static void test_stack_limit_is_raised(void **state)
{
    (void)state;
    struct rlimit stack;
    assert_int_equal(getrlimit(RLIMIT_STACK, &stack), 0);
    bool as_high_as_allowed = stack.rlim_cur >= 8 << 20 || stack.rlim_cur == stack.rlim_max;
    assert_true(as_high_as_allowed);
}

/* eval(expression) in a forked child, to be freed. */
static char *evaluate_in_child(const char *expression)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    interp_before_fork();
    pid_t child = fork();
    if (child == 0) {
        interp_after_fork_child();
        char *text = evaluate(expression);
        ssize_t written = write(ends[1], text, strlen(text));
        _exit(written > 0 ? 0 : 1);
    }
    interp_after_fork_parent();
    close(ends[1]);
    char text[256] = "";
    ssize_t length = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(length > 0);
    return strdup(text);
}

static void assert_children_differ(const char *expression)
{
    char *first = evaluate_in_child(expression);
    char *second = evaluate_in_child(expression);
    assert_string_not_equal(first, "exception");
    assert_string_not_equal(first, second);
    free(first);
    free(second);
}

static void test_children_have_their_own_random_numbers(void **state)
{
    (void)state;
    assert_children_differ("random.random()");
    assert_children_differ("__import__('multiprocessing').current_process().authkey.hex()");
}

static void test_children_have_their_own_numpy_random_numbers(void **state)
{
    (void)state;
    /* Imported in the parent, so that the children inherit one state. */
    _cleanup_object_ PyObject *numpy = PyImport_ImportModule("numpy.random");
    if (numpy == NULL) {
        PyErr_Clear();
        fprintf(stderr, "SKIPPED: numpy is not installed (apt: python3-numpy)\n");
        skip();
    }
    assert_children_differ("__import__('numpy').random.random()");
    assert_children_differ("__import__('numpy').random.default_rng().random()");
}

static void test_main_thread_of_a_child(void **state)
{
    (void)state;
    char *found = evaluate_in_child("__import__('threading').current_thread().name + ' ' + "
                                    "str(__import__('threading').active_count())");
    assert_string_equal(found, "MainThread 1");
    free(found);
}

static void test_freeze_moves_everything(void **state)
{
    (void)state;
    assert_evaluates("__import__('gc').get_freeze_count() > 1000", "True");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_are_told),
        cmocka_unit_test(test_paths_are_the_given_ones),
        cmocka_unit_test(test_flags_are_isolated),
        cmocka_unit_test(test_stdio_is_forgiving_and_by_lines),
        cmocka_unit_test(test_site_builtins_without_site),
        cmocka_unit_test(test_strftime_takes_other_alphabets),
        cmocka_unit_test(test_preload_failures_are_told),
        cmocka_unit_test(test_builtin_table_is_used),
        cmocka_unit_test(test_signal_table_is_python3s),
        cmocka_unit_test(test_stack_limit_is_raised),
        cmocka_unit_test(test_children_have_their_own_random_numbers),
        cmocka_unit_test(test_children_have_their_own_numpy_random_numbers),
        cmocka_unit_test(test_main_thread_of_a_child),
        cmocka_unit_test(test_freeze_moves_everything),
    };
    bad_stdlib_status = status_of_start("/nowhere", -1);
    closed_stdout_status = status_of_start(search_paths[0], STDOUT_FILENO);
    return cmocka_run_group_tests(tests, start, NULL);
}
