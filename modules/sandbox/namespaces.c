/* SPDX-License-Identifier: MIT
 *
 * The namespaces of one run: made by the clone that makes its init, so that nothing of the zygote
 * changes.
 */
#include "sandbox/sandbox.h"

#include "base/fd.h"
#include "wire/layers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    unsigned layer;
    uint64_t clone_flag;
} NAMESPACES[] = {
    {LAYER_USER_NS, CLONE_NEWUSER}, {LAYER_PID_NS, CLONE_NEWPID}, {LAYER_MOUNT_NS, CLONE_NEWNS},
    {LAYER_NET_NS, CLONE_NEWNET},   {LAYER_IPC_NS, CLONE_NEWIPC}, {LAYER_UTS_NS, CLONE_NEWUTS},
};

/* clone(2) instead of clone3(2): container filters answer clone3 with ENOSYS, and the flags fit. No
 * glibc wrapper has fork semantics with namespaces; the caller is single-threaded, and init, which
 * is what this makes, forks the script with fork(3), which sets glibc's idea of the thread right.
 */
pid_t namespaces_fork(unsigned layers, int *ret_pidfd)
{
    unsigned long flags = CLONE_PIDFD | SIGCHLD;
    int pidfd = -1;
    long pid;

    for (size_t i = 0; i < sizeof NAMESPACES / sizeof *NAMESPACES; i++)
        if (layers & NAMESPACES[i].layer)
            flags |= NAMESPACES[i].clone_flag;
#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)
    pid = syscall(SYS_clone, flags, NULL, &pidfd, NULL, NULL);
#else
#error "the argument order of clone(2) on this architecture is not known here"
#endif
    if (pid < 0)
        return -errno;
    if (pid > 0)
        *ret_pidfd = pidfd;
    return (pid_t)pid;
}

static int text_write(const char *path, const char *text)
{
    _cleanup_fd_ int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    return fd_write_all(fd, text, strlen(text));
}

/* The caller's own ids, mapped onto themselves: all that a process without privileges may map. */
static int identity_map(uid_t uid, gid_t gid)
{
    char map[64];
    int r;

    r = text_write("/proc/self/setgroups", "deny");
    if (r < 0 && r != -ENOENT)
        return r;
    snprintf(map, sizeof map, "%u %u 1\n", (unsigned)uid, (unsigned)uid);
    r = text_write("/proc/self/uid_map", map);
    if (r < 0)
        return r;
    snprintf(map, sizeof map, "%u %u 1\n", (unsigned)gid, (unsigned)gid);
    return text_write("/proc/self/gid_map", map);
}

static int loopback_up(void)
{
    _cleanup_fd_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "lo"};

    if (fd < 0)
        return -errno;
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    return ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? -errno : 0;
}

int namespaces_apply(unsigned layers, uid_t uid, gid_t gid)
{
    static const char name[] = "ptc";
    int r = 0;

    if (layers & LAYER_USER_NS)
        r = identity_map(uid, gid);
    if (r == 0 && (layers & LAYER_NET_NS))
        r = loopback_up();
    if (r == 0 && (layers & LAYER_UTS_NS) && sethostname(name, sizeof name - 1) < 0)
        r = -errno;
    return r;
}
