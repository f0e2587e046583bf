/* SPDX-License-Identifier: MIT
 *
 * The line reader of ptc-host rpc: lines in pieces of any size, too long ones, the end.
 */
#include "cli/rpc_in.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct feed {
    int fds[2];
    struct rpc_in in;
};

static void feed_open(struct feed *feed, size_t limit)
{
    assert_int_equal(pipe(feed->fds), 0);
    rpc_in_init(&feed->in, limit);
}

static void feed_close(struct feed *feed)
{
    rpc_in_deinit(&feed->in);
    close(feed->fds[0]);
    if (feed->fds[1] >= 0)
        close(feed->fds[1]);
}

static void put(struct feed *feed, const char *data, size_t length)
{
    assert_int_equal(write(feed->fds[1], data, length), length);
    assert_int_equal(rpc_in_fill(&feed->in, feed->fds[0]), 0);
}

static void end(struct feed *feed)
{
    close(feed->fds[1]);
    feed->fds[1] = -1;
    assert_int_equal(rpc_in_fill(&feed->in, feed->fds[0]), 0);
    assert_true(feed->in.ended);
    assert_false(rpc_in_wants(&feed->in));
}

static void is_line(struct feed *feed, const char *wanted)
{
    const char *line;
    size_t length;

    assert_int_equal(rpc_in_next(&feed->in, &line, &length), RPC_LINE_THERE);
    assert_int_equal(length, strlen(wanted));
    assert_memory_equal(line, wanted, length);
}

static void is_nothing(struct feed *feed, enum rpc_line wanted)
{
    const char *line;
    size_t length;

    assert_int_equal(rpc_in_next(&feed->in, &line, &length), wanted);
}

static void lines_come_in_pieces(void **state)
{
    static const char text[] = "one\n\ntwo words\nlast";
    struct feed feed;

    (void)state;
    for (size_t cut = 1; cut < sizeof text - 1; cut++) {
        feed_open(&feed, 100);
        put(&feed, text, cut);
        assert_true(rpc_in_wants(&feed.in) == !memchr(text, '\n', cut));
        put(&feed, text + cut, sizeof text - 1 - cut);
        is_line(&feed, "one");
        is_line(&feed, "");
        is_line(&feed, "two words");
        is_nothing(&feed, RPC_LINE_NONE);
        assert_true(rpc_in_wants(&feed.in));
        end(&feed);
        is_line(&feed, "last");
        is_nothing(&feed, RPC_LINE_NONE);
        feed_close(&feed);
    }
}

static void too_long_is_said_once(void **state)
{
    struct feed feed;

    (void)state;
    feed_open(&feed, 4);
    put(&feed, "1234\n12345\n1\n", 13);
    is_line(&feed, "1234");
    is_nothing(&feed, RPC_LINE_TOO_LONG);
    is_line(&feed, "1");
    for (int i = 0; i < 3; i++) {
        put(&feed, "123456", 6);
        is_nothing(&feed, i == 0 ? RPC_LINE_TOO_LONG : RPC_LINE_NONE);
        is_nothing(&feed, RPC_LINE_NONE);
    }
    put(&feed, "7\n8\n", 4);
    is_line(&feed, "8");
    put(&feed, "123456", 6);
    is_nothing(&feed, RPC_LINE_TOO_LONG);
    end(&feed);
    is_nothing(&feed, RPC_LINE_NONE);
    feed_close(&feed);
}

static void memory_is_given_back(void **state)
{
    static char piece[32768];
    struct feed feed;

    (void)state;
    memset(piece, 'x', sizeof piece);
    feed_open(&feed, 16 << 20);
    for (int i = 0; i < 128; i++) { /* 4 MiB in one line */
        put(&feed, piece, sizeof piece);
        is_nothing(&feed, RPC_LINE_NONE);
    }
    for (int i = 0; i < 64; i++) {
        const char *line;
        size_t length;

        put(&feed, "\n", 1);
        assert_int_equal(rpc_in_next(&feed.in, &line, &length), RPC_LINE_THERE);
        assert_int_equal(length, i == 0 ? 128 * sizeof piece : 0);
    }
    assert_true(feed.in.capacity <= 256 * 1024);
    feed_close(&feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_in_pieces),
        cmocka_unit_test(too_long_is_said_once),
        cmocka_unit_test(memory_is_given_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
