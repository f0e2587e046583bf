/* SPDX-License-Identifier: MIT
 *
 * posix_spawn with exactly four fds: null, null, a memfd for last words, the control socket.
 */
#include "run/spawn.h"

#include "base/err.h"
#include "base/fd.h"
#include "run/python_env.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* The child's fds come from far above what dup2 targets, so that no target is also a source. */
static int fd_far(int fd)
{
    int far = fcntl(fd, F_DUPFD_CLOEXEC, 10);

    if (far < 0 && errno == EINVAL)
        errno = EMFILE; /* the limit of open files is below ten */
    fd_close(fd);
    return far;
}

static int actions_fill(posix_spawn_file_actions_t *actions, int control_fd, int stderr_fd)
{
    int r = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDWR, 0);

    if (r == 0)
        r = posix_spawn_file_actions_adddup2(actions, 0, 1);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(actions, stderr_fd, 2);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(actions, control_fd, 3);
    return r;
}

/* All signals default, none blocked, a session of its own: ^C at the host's terminal is the host's.
 */
static int attributes_fill(posix_spawnattr_t *attributes)
{
    sigset_t all, none;
    int r;

    sigfillset(&all);
    sigemptyset(&none);
    r = posix_spawnattr_setsigdefault(attributes, &all);
    if (r == 0)
        r = posix_spawnattr_setsigmask(attributes, &none);
    if (r == 0)
        r = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                     POSIX_SPAWN_SETSID);
    return r;
}

static int program_start(const char *path, int control_fd, int stderr_fd, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char name[] = "ptc-child";
    char *argv[] = {name, NULL};
    int r = posix_spawn_file_actions_init(&actions);

    if (r != 0)
        return -r;
    r = posix_spawnattr_init(&attributes);
    if (r == 0) {
        r = actions_fill(&actions, control_fd, stderr_fd);
        if (r == 0)
            r = attributes_fill(&attributes);
        if (r == 0)
            r = posix_spawn(ret_pid, path, &actions, &attributes, argv,
                            (char *const *)python_env_environ());
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return -r;
}

int spawn_child(const char *child_path, struct spawned *ret_spawned, struct err *err)
{
    _cleanup_fd_ int host_end = -1, child_end = -1, words = -1;
    int pair[2], r;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_errno(err, -errno, "cannot make a socket for the helper program");
    host_end = fd_above_stdio(pair[0]);
    child_end = fd_far(pair[1]);
    if (host_end < 0 || fd_set_nonblocking(host_end) < 0)
        return err_errno(err, -errno, "cannot use the helper program's socket");
    words = memfd_create("ptc-child-stderr", MFD_CLOEXEC);
    if (words >= 0)
        words = fd_far(words);
    if (child_end < 0 || words < 0)
        return err_errno(err, -errno, "cannot make the helper program's files");
    r = program_start(child_path, child_end, words, &ret_spawned->pid);
    if (r < 0)
        return err_errno(err, r, "cannot start the helper program %s", child_path);
    /* It waits for SETUP now, so the pid is still its own, even if somebody reaps everything. */
    ret_spawned->pidfd = fd_pidfd_open(ret_spawned->pid);
    if (ret_spawned->pidfd < 0) {
        kill(ret_spawned->pid, SIGKILL);
        waitpid(ret_spawned->pid, NULL, 0);
        return err_errno(err, ret_spawned->pidfd, "cannot watch the helper program");
    }
    ret_spawned->control_fd = fd_steal(&host_end);
    ret_spawned->stderr_fd = fd_steal(&words);
    return 0;
}
