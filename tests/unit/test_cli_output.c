/* SPDX-License-Identifier: MIT
 *
 * What the program writes itself: JSON strings from any bytes, the failure object, writing to
 * somebody who is slow or gone.
 */
#include "cli/output.h"

#include "cli/options.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void string_is(const char *text, const char *expected)
{
    char *json = NULL;
    size_t length;
    FILE *file = open_memstream(&json, &length);

    output_json_string(file, text);
    fclose(file);
    assert_string_equal(json, expected);
    free(json);
}

static void json_strings(void **state)
{
    (void)state;
    string_is("", "\"\"");
    string_is("a\"b\\c\n\x01", "\"a\\\"b\\\\c\\u000a\\u0001\"");
    string_is("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    string_is("a\xff"
              "b\xc3",
              "\"a\xef\xbf\xbd"
              "b\xef\xbf\xbd\"");
    string_is("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    string_is("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

/* Runs output_fail with the standard streams in pipes; returns what came out of each. */
static int fail_captured(bool json, const char *message, char *out, char *err, size_t size)
{
    struct cli_options options = {.json = json};
    int pipes[2][2], saved[2];
    char *texts[2] = {out, err};

    for (int i = 0; i < 2; i++) {
        assert_int_equal(pipe(pipes[i]), 0);
        saved[i] = dup(i + 1);
        dup2(pipes[i][1], i + 1);
        close(pipes[i][1]);
    }
    int exit_code = output_fail(&options, CLI_EXIT_UNAVAILABLE, message);
    for (int i = 0; i < 2; i++) {
        dup2(saved[i], i + 1);
        close(saved[i]);
        ssize_t n = read(pipes[i][0], texts[i], size - 1);
        texts[i][n > 0 ? n : 0] = '\0';
        close(pipes[i][0]);
    }
    return exit_code;
}

static void failures(void **state)
{
    char out[1024], err[1024];

    (void)state;
    assert_int_equal(fail_captured(false, "no luck", out, err, sizeof out), CLI_EXIT_UNAVAILABLE);
    assert_string_equal(out, "");
    assert_string_equal(err, "ptc-host: no luck\n");
    fail_captured(true, "no \"luck\"", out, err, sizeof out);
    assert_memory_equal(out, "{\"status\":\"sandbox_unavailable\",\"output\":\"\"", 43);
    assert_non_null(strstr(out, "\"error\":\"no \\\"luck\\\"\""));
    assert_int_equal(out[strlen(out) - 1], '\n');
    assert_string_equal(err, "ptc-host: no \"luck\"\n");
}

static void a_reader_that_left(void **state)
{
    int fds[2];

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(fds), 0);
    close(fds[0]);
    assert_int_equal(output_write(fds[1], "x", 1), -EPIPE);
    close(fds[1]);
    assert_int_equal(output_write(-1, "x", 1), -EBADF);
}

static void a_full_device(void **state)
{
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

    (void)state;
    if (fd < 0) {
        print_message("skipped: there is no /dev/full here\n");
        skip();
    }
    assert_int_equal(output_write(fd, "x", 1), -ENOSPC);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_strings),
        cmocka_unit_test(failures),
        cmocka_unit_test(a_reader_that_left),
        cmocka_unit_test(a_full_device),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
