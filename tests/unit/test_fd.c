/* SPDX-License-Identifier: MIT
 *
 * File descriptors: nothing stays open that nobody knows of, whatever the peer sends; the fallbacks
 * of fd_close_all_except are reached by taking close_range(2) and /proc away.
 */
#include "base/buf.h"
#include "base/fd.h"
#include "fault.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

static int open_count(void)
{
    int count = fd_list(NULL, 0);
    assert_true(count >= 0);
    return count;
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void packet_pair(int pair[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
}

static void test_close_keeps_errno(void **state)
{
    (void)state;
    int fd = dup(0);
    errno = E2BIG;
    assert_int_equal(fd_close(fd), -1);
    assert_int_equal(errno, E2BIG);
    assert_false(is_open(fd));
    errno = E2BIG;
    assert_int_equal(fd_close(-1), -1);
    assert_int_equal(fd_close(1 << 20), -1);
    assert_int_equal(errno, E2BIG);
}

static void test_steal_and_cleanup(void **state)
{
    (void)state;
    int kept, closed;
    {
        _cleanup_fd_ int a = dup(0);
        _cleanup_fd_ int b = closed = dup(0);
        (void)b;
        kept = fd_steal(&a);
    }
    assert_true(is_open(kept));
    assert_false(is_open(closed));
    fd_close(kept);
}

static void test_above_stdio(void **state)
{
    int kept = dup(STDIN_FILENO), fd;

    (void)state;
    assert_int_equal(fd_above_stdio(-EMFILE), -EMFILE);
    assert_int_equal(fd_above_stdio(kept), kept);
    close(STDIN_FILENO);
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(fd, STDIN_FILENO);
    fd = fd_above_stdio(fd);
    assert_true(fd > STDERR_FILENO);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
    close(fd);
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
}

static void test_flags(void **state)
{
    (void)state;
    int pair[2];
    assert_int_equal(pipe(pair), 0);
    assert_int_equal(fd_set_nonblocking(pair[0]), 0);
    assert_true(fcntl(pair[0], F_GETFL) & O_NONBLOCK);
    assert_int_equal(fd_set_cloexec(pair[0], 1), 0);
    assert_int_equal(fcntl(pair[0], F_GETFD), FD_CLOEXEC);
    assert_int_equal(fd_set_cloexec(pair[0], 0), 0);
    assert_int_equal(fcntl(pair[0], F_GETFD), 0);
    fd_close(pair[0]);
    fd_close(pair[1]);
    assert_int_equal(fd_set_nonblocking(pair[0]), -EBADF);
    assert_int_equal(fd_set_cloexec(pair[0], 1), -EBADF);
}

/* A child that writes `length` bytes through a pipe, one write_all. */
static int writer_start(size_t length, pid_t *ret_pid)
{
    int pair[2];
    assert_int_equal(pipe(pair), 0);
    *ret_pid = fork();
    assert_true(*ret_pid >= 0);
    if (*ret_pid == 0) {
        char *data = calloc(1, length + 1);
        memset(data, 'w', length);
        close(pair[0]);
        _exit(fd_write_all(pair[1], data, length) == 0 ? 0 : 1);
    }
    close(pair[1]);
    return pair[0];
}

static void check_read_all(size_t length, size_t limit, int expected)
{
    pid_t pid;
    _cleanup_fd_ int fd = writer_start(length, &pid);
    _cleanup_buf_ struct buf buf = BUF_INIT(limit);
    assert_int_equal(fd_read_all(fd, &buf), expected);
    assert_int_equal(buf.length, expected == 0 ? length : limit);
    fd = fd_close(fd);
    int status;
    waitpid(pid, &status, 0);
    if (expected == 0)
        assert_int_equal(status, 0);
}

static void test_read_all(void **state)
{
    (void)state;
    check_read_all(0, 0, 0);
    check_read_all(1, 0, 0);
    check_read_all(1 << 20, 0, 0); /* more than a pipe holds: short writes and reads */
    check_read_all(5000, 5000, 0); /* a limit that is just reached is no error */
    check_read_all(5001, 5000, -EMSGSIZE);
    check_read_all(1 << 20, 5000, -EMSGSIZE);
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    assert_int_equal(fd_read_all(-1, &buf), -EBADF);
}

static void test_write_all_errors(void **state)
{
    (void)state;
    assert_int_equal(fd_write_all(-1, "x", 1), -EBADF);
    assert_int_equal(fd_write_all(-1, NULL, 0), 0);
    _cleanup_fd_ int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (full >= 0)
        assert_int_equal(fd_write_all(full, "x", 1), -ENOSPC);
}

static void test_memfd_is_sealed(void **state)
{
    (void)state;
    _cleanup_fd_ int fd = fd_memfd_text("ptc-test", "hello", 5);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    assert_int_equal(fd_read_all(fd, &buf), 0); /* offset 0 */
    assert_int_equal(buf.length, 5);
    assert_memory_equal(buf.data, "hello", 5);
    assert_int_equal(fd_write_all(fd, "x", 1), -EPERM);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_int_equal(ftruncate(fd, 100), -1);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    _cleanup_fd_ int empty = fd_memfd_text("ptc-test", NULL, 0);
    assert_true(empty >= 0);
}

static void test_packet_carries_fds(void **state)
{
    (void)state;
    int before = open_count(), pair[2], sent[FD_PASS_MAX], got[FD_PASS_MAX];
    packet_pair(pair);
    for (int i = 0; i < FD_PASS_MAX; i++)
        sent[i] = 0;
    for (size_t count = 0; count <= FD_PASS_MAX; count++) {
        assert_int_equal(fd_send_packet(pair[0], "abc", 3, sent, count), 0);
        char data[8];
        size_t received = 99;
        assert_int_equal(
            fd_receive_packet(pair[1], 0, data, sizeof(data), got, FD_PASS_MAX, &received), 3);
        assert_int_equal(received, count);
        assert_memory_equal(data, "abc", 3);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(fcntl(got[i], F_GETFD), FD_CLOEXEC);
            fd_close(got[i]);
        }
    }
    fd_close(pair[0]);
    fd_close(pair[1]);
    assert_int_equal(open_count(), before);
}

static void test_packet_send_refuses(void **state)
{
    (void)state;
    int pair[2], fds[FD_PASS_MAX + 1] = {0};
    packet_pair(pair);
    assert_int_equal(fd_send_packet(pair[0], "", 0, NULL, 0), -EINVAL);
    assert_int_equal(fd_send_packet(pair[0], "x", 1, fds, FD_PASS_MAX + 1), -EINVAL);
    fds[0] = -1;
    assert_int_equal(fd_send_packet(pair[0], "x", 1, fds, 1), -EBADF);
    assert_int_equal(fd_send_packet(-1, "x", 1, NULL, 0), -EBADF);
    int rc = 0;
    for (int i = 0; i < 100000 && rc == 0; i++)
        rc = fd_send_packet_flags(pair[0], MSG_DONTWAIT, "x", 1, NULL, 0);
    assert_int_equal(rc, -EAGAIN);
    fd_close(pair[0]);
    fd_close(pair[1]);
    packet_pair(pair);
    fd_close(pair[1]);
    assert_int_equal(fd_send_packet(pair[0], "x", 1, NULL, 0), -EPIPE); /* and no SIGPIPE */
    fd_close(pair[0]);
}

static void test_packet_waits_and_ends(void **state)
{
    (void)state;
    int pair[2];
    char data[4];
    size_t count = 7;
    packet_pair(pair);
    assert_int_equal(fd_receive_packet(pair[0], MSG_DONTWAIT, data, 4, NULL, 0, &count), -EAGAIN);
    assert_int_equal(count, 0);
    assert_int_equal(fd_send_packet(pair[1], "abcd", 4, NULL, 0), 0);
    fd_close(pair[1]);
    assert_int_equal(fd_receive_packet(pair[0], 0, data, 4, NULL, 0, NULL), 4);
    assert_int_equal(fd_receive_packet(pair[0], 0, data, 4, NULL, 0, NULL), 0);
    fd_close(pair[0]);
    assert_int_equal(fd_receive_packet(pair[0], 0, data, 4, NULL, 0, NULL), -EBADF);
}

/* Sends without our own checks, as a hostile peer would. */
static void hostile_send(int socket, size_t length, size_t fd_count)
{
    static char data[4096];
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(253 * sizeof(int))];
    } area = {0};
    struct iovec part = {.iov_base = data, .iov_len = length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd_count > 0) {
        message.msg_control = area.bytes;
        message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(fd_count * sizeof(int)); /* all are fd 0 */
    }
    assert_int_equal(sendmsg(socket, &message, 0), (int)length);
}

static void test_hostile_packets_leave_nothing_open(void **state)
{
    (void)state;
    static const struct {
        size_t length, fd_count, fd_capacity;
    } rows[] = {
        {8, 1, 0}, {8, 2, 1}, {8, 17, 16},    {8, 253, 16}, {8, 253, 0},
        {9, 0, 4}, {9, 3, 4}, {4096, 16, 16}, {0, 1, 4},    {0, 253, 4},
    };
    int pair[2], fds[FD_PASS_MAX];
    packet_pair(pair);
    int before = open_count();
    for (size_t i = 0; i < COUNT(rows); i++) {
        char data[8];
        size_t count = 99;
        hostile_send(pair[0], rows[i].length, rows[i].fd_count);
        ssize_t n =
            fd_receive_packet(pair[1], 0, data, sizeof(data), fds, rows[i].fd_capacity, &count);
        if (n != -EPROTO || count != 0 || open_count() != before)
            fail_msg("row %zu: %zd, %zu fds, %d open", i, n, count, open_count() - before);
    }
    fd_close(pair[0]);
    fd_close(pair[1]);
}

static void test_foreign_credentials_are_no_fds(void **state)
{
    (void)state;
    int pair[2], fds[4], on = 1;
    packet_pair(pair);
    assert_int_equal(setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
    int before = open_count();
    hostile_send(pair[0], 8, 2);
    char data[8];
    size_t count;
    /* Credentials and two fds fit into the area together: delivered, only the fds counted. */
    ssize_t n = fd_receive_packet(pair[1], 0, data, sizeof(data), fds, 4, &count);
    assert_int_equal(n, 8);
    assert_int_equal(count, 2);
    assert_int_equal(open_count(), before + 2);
    fd_close(fds[0]);
    fd_close(fds[1]);
    fd_close(pair[0]);
    fd_close(pair[1]);
}

static void test_list_is_sorted(void **state)
{
    (void)state;
    int high = fcntl(0, F_DUPFD_CLOEXEC, 100), fds[128];
    int count = fd_list(fds, COUNT(fds));
    assert_true(count > 1 && count < (int)COUNT(fds));
    bool seen = false;
    for (int i = 0; i < count; i++) {
        assert_true(is_open(fds[i]));
        assert_true(i == 0 || fds[i] > fds[i - 1]);
        seen |= fds[i] == high;
    }
    assert_true(seen);
    int two[2] = {-1, -1};
    assert_int_equal(fd_list(two, 1), count); /* the full count, however little is stored */
    assert_int_equal(two[0], fds[0]);
    assert_int_equal(two[1], -1);
    fd_close(high);
}

/* From here on these system calls answer ENOSYS / EACCES to this process. */
static int calls_refuse(bool close_range_too, bool open_too)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 436 /* close_range */, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, close_range_too ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_ALLOW),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, open_too ? SECCOMP_RET_ERRNO | EACCES : SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = COUNT(filter), .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

/* In a child: opens fds, closes all but some, looks. Exit code 0: right. */
static int close_all_child(bool close_range_too, bool open_too)
{
    struct rlimit limit = {.rlim_cur = 512, .rlim_max = 512};
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 10;
    for (int fd = 50; fd < 200; fd++) {
        if (dup2(0, fd) < 0)
            return 11;
    }
    if ((close_range_too || open_too) && calls_refuse(close_range_too, open_too) < 0)
        return 12;
    static const int keep[] = {2, 55, 56, 100, 199};
    if (fd_close_all_except(3, keep, COUNT(keep)) != 0)
        return 13;
    for (int fd = 3; fd < 512; fd++) {
        bool kept = fd == 55 || fd == 56 || fd == 100 || fd == 199;
        if (is_open(fd) != kept)
            return 14;
    }
    if (!is_open(0) || !is_open(2))
        return 15;
    if (fd_close_all_except(55, NULL, 0) != 0 || is_open(55) || is_open(199) || !is_open(2))
        return 16;
    return 0;
}

static void check_close_all(bool close_range_too, bool open_too)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(close_all_child(close_range_too, open_too));
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_close_all_except(void **state)
{
    (void)state;
    check_close_all(false, false);
}

static void test_close_all_except_without_close_range(void **state)
{
    (void)state;
    check_close_all(true, false);
}

static void test_close_all_except_without_proc(void **state)
{
    (void)state;
    check_close_all(true, true);
}

static void test_pidfd(void **state)
{
    (void)state;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        pause();
        _exit(0);
    }
    _cleanup_fd_ int pidfd = fd_pidfd_open(pid);
    assert_true(pidfd >= 0);
    assert_int_equal(fcntl(pidfd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fd_pidfd_signal(pidfd, 0), 0);
    assert_int_equal(fd_pidfd_signal(pidfd, SIGKILL), 0);
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    assert_int_equal(fd_pidfd_signal(pidfd, SIGKILL), -ESRCH);
    assert_int_equal(fd_pidfd_open(-1), -EINVAL);
    assert_int_equal(fd_pidfd_signal(-1, 0), -EBADF);
}

static int scenario(void)
{
    _cleanup_fd_ int fd = fd_memfd_text("ptc-test", "some text", 9);
    if (fd < 0)
        return fd;
    _cleanup_buf_ struct buf buf = BUF_INIT(0);
    return fd_read_all(fd, &buf);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    int before = open_count();
    fault_sweep(scenario);
    assert_int_equal(open_count(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_close_keeps_errno),
        cmocka_unit_test(test_steal_and_cleanup),
        cmocka_unit_test(test_above_stdio),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_read_all),
        cmocka_unit_test(test_write_all_errors),
        cmocka_unit_test(test_memfd_is_sealed),
        cmocka_unit_test(test_packet_carries_fds),
        cmocka_unit_test(test_packet_send_refuses),
        cmocka_unit_test(test_packet_waits_and_ends),
        cmocka_unit_test(test_hostile_packets_leave_nothing_open),
        cmocka_unit_test(test_foreign_credentials_are_no_fds),
        cmocka_unit_test(test_list_is_sorted),
        cmocka_unit_test(test_close_all_except),
        cmocka_unit_test(test_close_all_except_without_close_range),
        cmocka_unit_test(test_close_all_except_without_proc),
        cmocka_unit_test(test_pidfd),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
