/* SPDX-License-Identifier: MIT
 *
 * Control packets: what is not exactly one is refused and leaves no fd behind.
 */
#include "base/fd.h"
#include "unit.h"
#include "wire/control.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

static int pair[2];

static int setup(void **state)
{
    (void)state;
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
}

static int teardown(void **state)
{
    (void)state;
    pair[0] = fd_close(pair[0]);
    pair[1] = fd_close(pair[1]);
    return 0;
}

static void test_round_trip(void **state)
{
    (void)state;
    for (uint32_t type = CONTROL_SETUP; type < CONTROL_TYPE_COUNT; type++) {
        for (size_t fds = 0; fds <= CONTROL_FDS_MAX; fds++) {
            struct control_message sent = {
                .packet = {.type = type, .run = 77, .values = {-1, INT64_MIN, INT64_MAX, 4, 5, 6}},
                .fds = {0, 0, 0, 0},
                .fd_count = fds,
            };
            struct control_message got;
            assert_int_equal(control_send(pair[0], &sent), 0);
            assert_int_equal(control_receive(pair[1], 0, &got), 1);
            assert_memory_equal(&got.packet, &sent.packet, sizeof(sent.packet));
            assert_int_equal(got.fd_count, fds);
            for (size_t i = 0; i < fds; i++)
                assert_int_equal(fcntl(got.fds[i], F_GETFD), FD_CLOEXEC);
            int first = got.fds[0];
            control_close_fds(&got);
            assert_int_equal(got.fd_count, 0);
            assert_true(fds == 0 || fcntl(first, F_GETFD) < 0);
            control_close_fds(&got);
        }
    }
}

static void test_send_refuses_what_we_would_not_receive(void **state)
{
    (void)state;
    struct control_message message = {.packet = {.type = 0}};
    assert_int_equal(control_send(pair[0], &message), -EINVAL);
    message.packet.type = CONTROL_TYPE_COUNT;
    assert_int_equal(control_send(pair[0], &message), -EINVAL);
    message.packet.type = CONTROL_KILL;
    message.fd_count = CONTROL_FDS_MAX + 1;
    assert_int_equal(control_send(pair[0], &message), -EINVAL);
}

static void test_nothing_waits_full_and_end(void **state)
{
    (void)state;
    struct control_message message = {.packet = {.type = CONTROL_THAW}};
    assert_int_equal(control_receive(pair[1], MSG_DONTWAIT, &message), -EAGAIN);
    message.packet.type = CONTROL_THAW;
    int rc = 0;
    for (int i = 0; i < 100000 && rc == 0; i++)
        rc = control_send_flags(pair[0], MSG_DONTWAIT, &message);
    assert_int_equal(rc, -EAGAIN);
    pair[0] = fd_close(pair[0]);
    while ((rc = control_receive(pair[1], 0, &message)) == 1)
        continue;
    assert_int_equal(rc, 0);
    assert_int_equal(control_send(pair[1], &message), -EINVAL); /* zeroed */
}

static void test_hostile_packets(void **state)
{
    (void)state;
    struct control_packet packets[2] = {{.type = CONTROL_KILL}, {.type = CONTROL_KILL}};
    static const struct {
        uint32_t type;
        size_t length, fds;
    } rows[] = {
        {CONTROL_KILL, 1, 0},
        {CONTROL_KILL, sizeof(*packets) - 1, 2},
        {CONTROL_KILL, sizeof(*packets) + 1, 2},
        {CONTROL_KILL, sizeof(packets), 0},
        {0, sizeof(*packets), 3},
        {CONTROL_TYPE_COUNT, sizeof(*packets), 3},
        {UINT32_MAX, sizeof(*packets), 0},
        {CONTROL_KILL, sizeof(*packets), CONTROL_FDS_MAX + 1},
    };
    int fds[FD_PASS_MAX] = {0}, before = fd_list(NULL, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct control_message got;
        memset(&got, 0xa5, sizeof(got));
        packets[0].type = rows[i].type;
        assert_int_equal(fd_send_packet(pair[0], packets, rows[i].length, fds, rows[i].fds), 0);
        int rc = control_receive(pair[1], 0, &got);
        if (rc != -EPROTO || got.fd_count != 0 || fd_list(NULL, 0) != before)
            fail_msg("row %zu: %d", i, rc);
    }
}

#define control_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        control_test(test_round_trip),
        control_test(test_send_refuses_what_we_would_not_receive),
        control_test(test_nothing_waits_full_and_end),
        control_test(test_hostile_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
