/* SPDX-License-Identifier: MIT
 *
 * The output queue of ptc-host rpc: strings in pieces, foreign bytes, readers of every kind.
 */
#include "cli/rpc_out.h"

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BAD "\xef\xbf\xbd"

static void take(struct rpc_out *out, char *text, size_t size)
{
    size_t length = rpc_out_pending(out);

    assert_true(length < size);
    if (length)
        memcpy(text, out->data + out->start, length);
    text[length] = '\0';
    out->start = out->length = 0;
}

/* The strings' contents behind each other, without the quotes. */
static void join(const char *text, size_t cut, char *joined, size_t size)
{
    struct rpc_carry carry = {0};
    struct rpc_out out;
    char part[256];

    rpc_out_init(&out, -1);
    joined[0] = '\0';
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(text);
        if (i == 0)
            rpc_out_string(&out, &carry, text, cut);
        else if (i == 1)
            rpc_out_string(&out, &carry, text + cut, length - cut);
        else if (carry.length)
            rpc_out_string(&out, NULL, (const char *)carry.bytes, carry.length);
        else
            break;
        take(&out, part, sizeof part);
        assert_true(part[0] == '"' && part[strlen(part) - 1] == '"');
        part[strlen(part) - 1] = '\0';
        strncat(joined, part + 1, size - strlen(joined) - 1);
    }
    rpc_out_deinit(&out);
}

static void strings_are_whole_wherever_they_are_cut(void **state)
{
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"plain", "plain"},
        {"a\"b\\c\nd\te\x7f", "a\\\"b\\\\c\\nd\\u0009e\\u007f"},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80.", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80."},
        {"\x80x\xff", BAD "x" BAD},
        {"\xc0\xaf", BAD BAD},
        {"\xed\xa0\x80", BAD BAD BAD},         /* a surrogate */
        {"\xf4\x90\x80\x80", BAD BAD BAD BAD}, /* beyond U+10FFFF */
        {"\xe2\x82"
         "A",
         BAD "A"},
        {"\xe2\xe2\x82\xac", BAD "\xe2\x82\xac"},
        {"\xf0\x9f\x98", BAD},
        {"x\xc3", "x" BAD},
    };
    char joined[256];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t cut = 0; cut <= strlen(cases[i].text); cut++) {
            join(cases[i].text, cut, joined, sizeof joined);
            if (strcmp(joined, cases[i].wanted) != 0)
                fail_msg("case %zu cut at %zu: %s", i, cut, joined);
        }
}

static void json_stays_in_its_line(void **state)
{
    struct rpc_out out;
    char text[64];

    (void)state;
    rpc_out_init(&out, -1);
    rpc_out_json(&out, "{\n \"a\": 1\n}\n", strlen("{\n \"a\": 1\n}\n"));
    rpc_out_number(&out, 18446744073709551615ull);
    take(&out, text, sizeof text);
    assert_string_equal(text, "{  \"a\": 1 } 18446744073709551615");
    rpc_out_deinit(&out);
}

static void fill(struct rpc_out *out, size_t bytes)
{
    static const char piece[1000] = {'x'};

    for (size_t i = 0; i < bytes; i += sizeof piece)
        rpc_out_add(out, piece, sizeof piece);
}

static size_t drain(int fd)
{
    static char sink[65536];
    ssize_t n = read(fd, sink, sizeof sink);

    return n > 0 ? (size_t)n : 0;
}

static void reader_is_slow(int reader, int writer)
{
    struct rpc_out out;
    size_t got = 0;

    fcntl(reader, F_SETFL, O_NONBLOCK);
    rpc_out_init(&out, writer);
    fill(&out, 3000000);
    assert_true(rpc_out_flush(&out));
    assert_false(rpc_out_flush(&out)); /* full: it does not block */
    while (rpc_out_pending(&out)) {
        got += drain(reader);
        rpc_out_flush(&out);
    }
    for (size_t n; (n = drain(reader)) > 0;)
        got += n;
    assert_int_equal(got, 3000000);
    assert_int_equal(out.capacity, 0); /* what was large is given back */
    assert_int_equal(fcntl(writer, F_GETFL) & O_NONBLOCK, 0);
    fill(&out, 1000);
    close(reader);
    rpc_out_flush(&out);
    assert_int_equal(out.error, -EPIPE);
    fill(&out, 1000000); /* dropped */
    assert_int_equal(rpc_out_pending(&out), 0);
    rpc_out_deinit(&out);
    close(writer);
}

static void readers_of_pipes_and_sockets(void **state)
{
    int fds[2];

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(fds), 0);
    reader_is_slow(fds[0], fds[1]);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    reader_is_slow(fds[0], fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_whole_wherever_they_are_cut),
        cmocka_unit_test(json_stays_in_its_line),
        cmocka_unit_test(readers_of_pipes_and_sockets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
