/* SPDX-License-Identifier: MIT
 *
 * How a zygote makes inits: in their namespaces, ahead of time where it can, without namespaces
 * where the machine refuses them.
 */
#include "child/zygote_private.h"

#include "base/fd.h"
#include "child/init.h"
#include "python/interp.h"
#include "wire/control.h"
#include "wire/layers.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What an init is made for. */
struct init_order {
    const int *fds;  /* those of FORK, or NULL: they come over handover_fd later */
    int handover_fd; /* -1: they are there already */
    bool no_script;
};

static pid_t init_fork(struct zygote *zygote, const struct init_order *order, unsigned layers,
                       int ready_fd, int *ret_pidfd)
{
    const int *fds = order->fds;
    struct init_config config = {
        .host_fd = fds ? fds[0] : -1,
        .call_fd = fds ? fds[1] : -1,
        .out_fd = fds ? fds[2] : -1,
        .err_fd = fds ? fds[3] : -1,
        .handover_fd = order->handover_fd,
        .no_script = order->no_script,
        .host_pidfd = zygote->host_pidfd,
        .ready_fd = ready_fd,
        .namespaces = layers,
        .uid = geteuid(),
        .gid = getegid(),
        .setup = &zygote->setup,
        .hotpages = &zygote->hotpages,
    };
    pid_t pid;

    if (!(layers & LAYER_PID_NS))
        zygote->has_plain_runs = true;
    if (!zygote->setup.cold)
        interp_before_fork();
    pid = namespaces_fork(layers, ret_pidfd);
    if (pid == 0)
        init_main(&config);
    if (!zygote->setup.cold)
        interp_after_fork_parent();
    return pid;
}

/* The first run with namespaces shows whether they can be used: init writes one byte when they
 * hold. Later runs do not wait. Returns the pid, or negative errno when this machine refuses them.
 */
static pid_t init_fork_first(struct zygote *zygote, const struct init_order *order, unsigned layers,
                             int *ret_pidfd)
{
    int pipe_fds[2], status = 0;
    char byte;
    pid_t pid;
    ssize_t n;

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return -errno;
    pid = init_fork(zygote, order, layers, pipe_fds[1], ret_pidfd);
    fd_close(pipe_fds[1]);
    n = pid > 0 ? read(pipe_fds[0], &byte, 1) : 0;
    fd_close(pipe_fds[0]);
    if (pid < 0)
        return pid;
    if (n == 1)
        return pid;
    *ret_pidfd = fd_close(*ret_pidfd);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == INIT_NAMESPACES_FAILED ? -EPERM : -ECHILD;
}

/* With namespaces where they can be had. Returns the pid, or negative errno. */
static pid_t init_fork_walled(struct zygote *zygote, const struct init_order *order,
                              unsigned layers, int *ret_pidfd)
{
    pid_t pid;

    if (zygote->namespaces_known)
        return init_fork(zygote, order, layers, -1, ret_pidfd);
    pid = init_fork_first(zygote, order, layers, ret_pidfd);
    /* No memory and no process slots say nothing about namespaces. */
    if (pid == -ENOMEM || pid == -EAGAIN)
        return pid;
    zygote->namespaces_known = true;
    if (pid < 0)
        zygote->namespaces_error = pid;
    return pid;
}

/* ---- the spare init: half of the way to a run, gone before anybody waits ---- */

void zygote_make_spare(struct zygote *zygote)
{
    struct init_order order = {0};
    int pair[2], pidfd = -1;
    pid_t pid;

    if (zygote->spare.pid || zygote->setup.cold || zygote->namespaces_error ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return;
    order.handover_fd = pair[1];
    pid = init_fork_walled(zygote, &order, LAYER_NAMESPACES, &pidfd);
    fd_close(pair[1]);
    if (pid < 0) {
        fd_close(pair[0]);
        return;
    }
    zygote->spare = (struct spare){pid, pidfd, pair[0]};
}

void zygote_forget_spare(struct zygote *zygote)
{
    fd_close(zygote->spare.fd);
    zygote->spare = (struct spare){0, -1, -1};
}

/* The spare becomes the run's init. Its pid, or 0 when there is none that fits. */
static pid_t spare_take(struct zygote *zygote, const struct control_message *fork, unsigned layers,
                        int *ret_pidfd)
{
    pid_t pid = zygote->spare.pid;

    if (!pid || layers != LAYER_NAMESPACES || (fork->packet.values[0] & FORK_NO_SCRIPT) ||
        control_send(zygote->spare.fd, fork) < 0)
        return 0;
    *ret_pidfd = zygote->spare.pidfd;
    zygote_forget_spare(zygote);
    return pid;
}

pid_t zygote_fork_init(struct zygote *zygote, const struct control_message *fork, unsigned layers,
                       int *ret_pidfd)
{
    const struct init_order order = {fork->fds, -1, fork->packet.values[0] & FORK_NO_SCRIPT};
    pid_t pid = spare_take(zygote, fork, layers, ret_pidfd);

    if (pid)
        return pid;
    if (layers) {
        pid = init_fork_walled(zygote, &order, layers, ret_pidfd);
        if (pid > 0 || !zygote->namespaces_error)
            return pid;
    }
    return init_fork(zygote, &order, 0, -1, ret_pidfd);
}
