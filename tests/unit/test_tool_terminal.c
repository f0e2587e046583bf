/* SPDX-License-Identifier: MIT
 *
 * terminal: rows L38 and L40 of the behaviour table, state between calls, limits, hostile commands.
 */
#include "test_tools_fixture.h"

#include "base/clock.h"

#include <signal.h>
#include <sys/eventfd.h>

static void assert_output(struct fixture *f, const char *command, const char *output, int exit_code)
{
    json_t *r = fixture_terminal(f, command);

    assert_string_equal(get_text(r, "output"), output);
    assert_int_equal(get_int(r, "exit_code"), exit_code);
    assert_true(json_is_null(json_object_get(r, "error")));
    json_decref(r);
}

static void all_keys_are_always_there(void **state)
{
    struct fixture *f = *state;
    json_t *r = fixture_terminal(f, "echo x");

    assert_string_equal(get_text(r, "output"), "x");
    assert_int_equal(get_int(r, "exit_code"), 0);
    assert_true(json_is_null(json_object_get(r, "error")));
    assert_false(get_bool(r, "timed_out"));
    assert_false(get_bool(r, "stdout_truncated"));
    assert_int_equal(get_int(r, "stdout_bytes_total"), 2);
    assert_int_equal(get_int(r, "stdout_bytes_captured"), 2);
    assert_int_equal(get_int(r, "stdout_bytes_omitted"), 0);
    assert_true(json_is_real(json_object_get(r, "duration_seconds")));
    assert_null(json_object_get(r, "stderr"));
    assert_null(json_object_get(r, "signal"));
    assert_null(json_object_get(r, "exit_code_meaning"));
    json_decref(r);
}

/* L38 */
static void directory_and_exports_last(void **state)
{
    struct fixture *f = *state;
    char expect[PATH_MAX];

    assert_output(f, "mkdir -p 'sub dir'; cd 'sub dir'; export A=1 B='x \"y\" $z\n`q` \\ é'", "",
                  0);
    assert_output(f, "pwd", ws_path(f, "sub dir", expect), 0);
    assert_output(f, "printf '%s' \"$B\"", "x \"y\" $z\n`q` \\ é", 0);
    assert_output(f, "unset A; cd ..; exit 3", "", 3);
    assert_output(f, "echo [$A]; pwd; echo ${OLDPWD##*/}",
                  (snprintf(expect, sizeof(expect), "[]\n%s\nsub dir", f->workspace), expect), 0);
    assert_output(f, "local_only=1", "", 0);
    assert_output(f, "echo [$local_only]", "[]", 0);
    assert_output(f, "cd - >/dev/null; export CTRL=$'\\e[1m\\x01\\t'; export EMPTY=", "", 0);
    assert_output(f, "printf '%s' \"$CTRL\" | od -An -tx1; echo ${EMPTY-unset}",
                  "1b 5b 31 6d 01 09", 0);
}

static void functions_and_aliases_last(void **state)
{
    struct fixture *f = *state;

    assert_output(f, "greet() { echo \"hi $1\"; }; alias say='echo said'", "", 0);
    assert_output(f, "greet you; say it", "hi you\nsaid it", 0);
    assert_output(f, "unset -f greet; unalias say", "", 0);
    assert_output(f, "greet you 2>/dev/null; echo $?", "127", 0);
}

static void shells_that_do_not_end_as_usual_lose_nothing_else(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    assert_output(f, "export KEEP=1", "", 0);
    assert_output(f, "exec echo replaced", "replaced", 0);
    assert_output(f, "trap 'echo bye' EXIT; export KEEP2=2", "bye", 0);
    assert_output(f, "trap 'echo bye' EXIT; exit 4", "bye", 4);
    assert_output(f, "set -eu; false; echo never", "", 1);
    assert_output(f, "set -x; :", "++ :", 0);
    assert_output(f, "printf() { echo mine; }; export() { echo mine; }; exit 0", "", 0);
    assert_output(f, "unset -f printf export; exec >/dev/null; echo gone", "", 0);
    r = fixture_terminal(f, "kill -9 $$");
    assert_string_equal(get_text(r, "signal"), "SIGKILL");
    assert_int_equal(get_int(r, "exit_code"), 137);
    json_decref(r);
    assert_output(f, "echo $KEEP$KEEP2", "12", 0);
}

static void exit_codes_are_the_shells(void **state)
{
    struct fixture *f = *state;
    json_t *r = fixture_terminal(f, "no_such_command_here");

    assert_int_equal(get_int(r, "exit_code"), 127);
    assert_has(get_text(r, "output"), "line 1: no_such_command_here: command not found");
    json_decref(r);
    r = fixture_terminal(f, "if");
    assert_int_equal(get_int(r, "exit_code"), 2);
    assert_has(get_text(r, "output"), "syntax error");
    json_decref(r);
    r = fixture_terminal(f, "bash -c 'kill -SEGV $$'; exit $?");
    assert_int_equal(get_int(r, "exit_code"), 139);
    assert_has(get_text(r, "exit_code_meaning"), "SIGSEGV");
    json_decref(r);
}

static void stderr_is_merged_in_order_or_apart(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    assert_output(f, "echo 1; echo 2 >&2; echo 3; echo 4 >&2", "1\n2\n3\n4", 0);
    r = fixture_call(
        f, "terminal",
        json_pack("{s:s, s:b}", "command", "echo out; echo err >&2", "merge_stderr", 0));
    assert_string_equal(get_text(r, "output"), "out");
    assert_string_equal(get_text(r, "stderr"), "err");
    assert_false(get_bool(r, "stderr_truncated"));
    json_decref(r);
}

static void long_output_keeps_head_and_tail(void **state)
{
    struct fixture *f = *state;
    json_t *r = fixture_terminal(f, "echo FIRST; head -c 60000 /dev/zero | tr '\\0' x; echo LAST");
    const char *output = get_text(r, "output");

    assert_true(get_bool(r, "stdout_truncated"));
    assert_int_equal(get_int(r, "stdout_bytes_total"), 60011);
    assert_int_equal(get_int(r, "stdout_bytes_captured") + get_int(r, "stdout_bytes_omitted"),
                     60011);
    assert_has(output, "FIRST");
    assert_has(output, "LAST");
    assert_has(output, "OUTPUT TRUNCATED");
    json_decref(r);
}

static void escape_sequences_and_odd_bytes_are_cleaned(void **state)
{
    struct fixture *f = *state;

    assert_output(f, "printf '\\n\\033[31mred\\033[0m \\377\\n\\n'", "red \xef\xbf\xbd", 0);
}

/* Reports 20064, 68948: no text guard, no rewriting. */
static void commands_are_not_judged_by_their_text(void **state)
{
    struct fixture *f = *state;

    assert_output(f, "echo 'a & b'", "a & b", 0);
    assert_output(f, "echo 'nohup setsid disown'", "nohup setsid disown", 0);
    assert_output(f, "if true; then echo b & fi; wait", "b", 0);
    assert_output(f, "cat <<'EOF'\nx & y\nEOF", "x & y", 0);
}

static void the_child_is_clean(void **state)
{
    struct fixture *f = *state;
    int leaked = open("/dev/null", O_RDONLY); /* on purpose without close-on-exec */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;

    sigaction(SIGUSR1, &ignore, &old);
    assert_output(f, "ls /proc/self/fd | tr '\\n' ' '", "0 1 2 3", 0); /* 3: ls reading it */
    /* posix_spawn leaves the C library's own two signals, 32 and 33, ignored: nobody can use them
     */
    assert_output(f,
                  "grep -E 'Sig(Ign|Blk)' /proc/$BASHPID/status | tr -s '\\t' ' ' | "
                  "sed s/000000018/000000000/",
                  "SigBlk: 0000000000000000\nSigIgn: 0000000000000000", 0);
    assert_output(f, "readlink /proc/self/fd/0; echo $PAGER $GIT_PAGER", "/dev/null\ncat cat", 0);
    assert_output(f, "echo $# $0; [ $(ps -o pgid= -p $$) = $$ ] && echo own group",
                  "0 bash\nown group", 0);
    assert_output(f, "cat", "", 0); /* stdin is at its end */
    sigaction(SIGUSR1, &old, NULL);
    close(leaked);
}

static void workdir_is_for_one_call(void **state)
{
    struct fixture *f = *state;
    char expect[PATH_MAX];
    json_t *r = NULL;

    assert_output(f, "mkdir 'odd $(dir); é'", "", 0);
    r = fixture_call(f, "terminal",
                     json_pack("{s:s, s:s}", "command", "pwd", "workdir", "odd $(dir); é"));
    assert_string_equal(get_text(r, "output"), ws_path(f, "odd $(dir); é", expect));
    json_decref(r);
    assert_output(f, "pwd", f->workspace, 0);
    r = fixture_call(f, "terminal", json_pack("{s:s, s:s}", "command", "pwd", "workdir", "nope"));
    assert_int_equal(get_int(r, "exit_code"), 126);
    assert_has(get_text(r, "error"), "nope: No such file or directory");
    assert_string_equal(get_text(r, "status"), "error");
    assert_string_equal(get_text(r, "output"), "");
    json_decref(r);
}

static void a_directory_that_is_gone_is_replaced_by_the_workspace(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    assert_output(f, "mkdir gone; cd gone; rmdir ../gone", "", 0);
    r = fixture_terminal(f, "pwd");
    assert_string_equal(get_text(r, "output"), f->workspace);
    assert_has(get_text(r, "_warning"), "cannot be entered");
    json_decref(r);
}

static void a_timeout_keeps_what_was_printed(void **state)
{
    struct fixture *f = *state;
    uint64_t start = clock_now_ns();
    json_t *r = fixture_call(f, "terminal",
                             json_pack("{s:s, s:i}", "command",
                                       "echo before; trap '' TERM; sleep 30 & sleep 31; echo after",
                                       "timeout", 1));

    assert_string_equal(get_text(r, "output"), "before\n[Command timed out after 1s]");
    assert_int_equal(get_int(r, "exit_code"), 124);
    assert_true(get_bool(r, "timed_out"));
    assert_has(get_text(r, "error"), "this terminal call");
    assert_string_equal(get_text(r, "signal"), "SIGKILL");
    json_decref(r);
    assert_true(clock_now_ns() - start < 20 * NS_PER_S);
}

static void the_deadline_of_the_run_is_named(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    f->call.deadline_ns = clock_now_ns() + 300 * NS_PER_MS;
    r = fixture_terminal(f, "sleep 30");
    assert_int_equal(get_int(r, "exit_code"), 124);
    assert_has(get_text(r, "error"), "the whole run");
    json_decref(r);
}

static void cancelling_stops_the_command(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    f->call.cancel_fd = eventfd(1, EFD_CLOEXEC);
    r = fixture_terminal(f, "sleep 30");
    close(f->call.cancel_fd);
    f->call.cancel_fd = -1;
    assert_has(get_text(r, "output"), "[Command interrupted]");
    assert_int_equal(get_int(r, "exit_code"), 130);
    assert_false(get_bool(r, "timed_out"));
    json_decref(r);
}

static void a_background_process_does_not_hold_the_call(void **state)
{
    struct fixture *f = *state;
    uint64_t start = clock_now_ns();
    json_t *r = fixture_terminal(
        f, "(while sleep 0.1; do echo tick; done; echo x >ended) & echo started $! >pid; echo now");

    assert_has(get_text(r, "output"), "now");
    assert_int_equal(get_int(r, "exit_code"), 0);
    json_decref(r);
    assert_true(clock_now_ns() - start < 10 * NS_PER_S);
    /* it goes on living although it writes to a pipe that no call reads any more */
    r = fixture_terminal(f, "sleep 0.5; read _ pid <pid; kill -0 $pid && echo alive; kill $pid");
    assert_string_equal(get_text(r, "output"), "alive");
    json_decref(r);
}

static void wrong_arguments_are_answered(void **state)
{
    struct fixture *f = *state;
    json_t *args[] = {
        json_pack("{}"),
        json_pack("{s:i}", "command", 3),
        json_pack("{s:s}", "command", ""),
        json_pack("{s:s}", "command", " \n"),
        json_pack("{s:s%}", "command", "a\0b", (size_t)3),
        json_pack("{s:s, s:i}", "command", "echo", "timeout", 601),
        json_pack("{s:s, s:i}", "command", "echo", "timeout", 0),
        json_pack("{s:s, s:i}", "command", "echo", "workdir", 3),
        json_pack("{s:s}", "code", "print(1)"),
        json_array(),
    };

    for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
        json_t *r = fixture_call(f, "terminal", args[i]);
        assert_true(strlen(get_text(r, "error")) > 0);
        assert_string_equal(get_text(r, "status"), "error");
        assert_string_equal(get_text(r, "output"), "");
        assert_true(get_int(r, "exit_code") != 0);
        json_decref(r);
    }
}

static void a_command_beyond_one_argument_of_execve_runs(void **state)
{
    struct fixture *f = *state;
    size_t length = 300000;
    char *command = malloc(length + 64), *end = NULL;
    json_t *r = NULL;

    strcpy(command, "cat <<'EOF' | wc -c\n");
    end = command + strlen(command);
    memset(end, 'x', length - 1);
    strcpy(end + length - 1, "\nEOF\n");
    assert_output(f, command, "300000", 0);
    free(command);
    length = 4000000;
    command = malloc(length + 1);
    memset(command, ' ', length);
    memcpy(command, "echo", 4);
    command[length - 1] = 'x';
    command[length] = '\0';
    r = fixture_terminal(f, command);
    assert_has(get_text(r, "error"), "too long");
    json_decref(r);
    free(command);
}

static void huge_exports_do_not_break_the_next_call(void **state)
{
    struct fixture *f = *state;

    assert_output(f, "export KEEP=1; export HUGE=$(head -c 125000 /dev/zero | tr '\\0' x)", "", 0);
    assert_output(f,
                  "for i in $(seq 30); do export V$i=$(head -c 60000 /dev/zero | tr '\\0' y); done",
                  "", 0);
    assert_output(f, "echo $KEEP", "1", 0);
}

static void a_missing_shell_is_an_error(void **state)
{
    struct fixture *f = *state;
    json_t *r = NULL;

    f->config.shell = "/nonexistent/bash";
    r = fixture_terminal(f, "echo x");
    assert_has(get_text(r, "error"), "could not be started");
    json_decref(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(all_keys_are_always_there),
        FIXTURE_TEST(directory_and_exports_last),
        FIXTURE_TEST(functions_and_aliases_last),
        FIXTURE_TEST(shells_that_do_not_end_as_usual_lose_nothing_else),
        FIXTURE_TEST(exit_codes_are_the_shells),
        FIXTURE_TEST(stderr_is_merged_in_order_or_apart),
        FIXTURE_TEST(long_output_keeps_head_and_tail),
        FIXTURE_TEST(escape_sequences_and_odd_bytes_are_cleaned),
        FIXTURE_TEST(commands_are_not_judged_by_their_text),
        FIXTURE_TEST(the_child_is_clean),
        FIXTURE_TEST(workdir_is_for_one_call),
        FIXTURE_TEST(a_directory_that_is_gone_is_replaced_by_the_workspace),
        FIXTURE_TEST(a_timeout_keeps_what_was_printed),
        FIXTURE_TEST(the_deadline_of_the_run_is_named),
        FIXTURE_TEST(cancelling_stops_the_command),
        FIXTURE_TEST(a_background_process_does_not_hold_the_call),
        FIXTURE_TEST(wrong_arguments_are_answered),
        FIXTURE_TEST(a_command_beyond_one_argument_of_execve_runs),
        FIXTURE_TEST(huge_exports_do_not_break_the_next_call),
        FIXTURE_TEST(a_missing_shell_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
