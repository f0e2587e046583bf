/* SPDX-License-Identifier: MIT
 *
 * The zygote's life: SETUP, interpreter, then FORK after FORK.
 */
#include "child/zygote.h"

#include "base/err.h"
#include "base/fd.h"
#include "child/init.h"
#include "child/interpreter.h"
#include "child/setup.h"
#include "python/interp.h"
#include "wire/control.h"
#include "wire/layers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

struct zygote_run {
    uint32_t run;
    pid_t pid;
};

struct zygote {
    int control_fd;
    int host_pidfd;
    int signal_fd;
    struct zygote_setup setup;
    bool namespaces_known;   /* the first run has shown whether they can be had */
    int namespaces_error;    /* and if not, why: negative errno */
    bool has_plain_runs;     /* some run has no pid namespace */
    struct zygote_run *runs; /* alive */
    size_t run_count, run_capacity;
};

static int zygote_send(const struct zygote *zygote, enum control_type type, uint32_t run,
                       int64_t value, int64_t second, int fd)
{
    struct control_message message = {
        .packet = {.type = type, .run = run, .values = {value, second}},
        .fds = {fd},
        .fd_count = fd >= 0 ? 1 : 0,
    };

    return control_send(zygote->control_fd, &message);
}

/* ---- start ---- */

static int interpreter_prepare(struct zygote *zygote, struct err *err)
{
    int r = zygote->setup.cold ? 0 : interpreter_start(&zygote->setup, err);

    if (r == 0 && !zygote->setup.cold)
        interp_freeze();
    return r;
}

static int zygote_start(struct zygote *zygote)
{
    struct control_message message;
    struct err err = ERR_INIT;
    int r = control_receive(zygote->control_fd, 0, &message);

    if (r <= 0 || message.packet.type != CONTROL_SETUP || message.fd_count < 1)
        return -EPROTO;
    r = zygote_setup_read(&zygote->setup, message.fds[0], &err);
    fd_close(message.fds[0]);
    if (message.fd_count > 1)
        zygote->host_pidfd = message.fds[1];
    if (r == 0)
        r = interpreter_prepare(zygote, &err);
    if (r < 0)
        dprintf(STDERR_FILENO, "%s", err.text); /* a memfd of the host's, which reads it now */
    zygote_send(zygote, CONTROL_READY, 0, r, 0, -1);
    return r;
}

static int signals_watch(struct zygote *zygote)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    zygote->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return zygote->signal_fd < 0 ? -errno : 0;
}

/* ---- runs ---- */

static int run_remember(struct zygote *zygote, uint32_t run, pid_t pid)
{
    if (zygote->run_count == zygote->run_capacity) {
        size_t capacity = zygote->run_capacity ? zygote->run_capacity * 2 : 16;
        struct zygote_run *runs = realloc(zygote->runs, capacity * sizeof *runs);

        if (!runs)
            return -ENOMEM;
        zygote->runs = runs;
        zygote->run_capacity = capacity;
    }
    zygote->runs[zygote->run_count++] = (struct zygote_run){run, pid};
    return 0;
}

static void run_reaped(struct zygote *zygote, pid_t pid, int status)
{
    for (size_t i = 0; i < zygote->run_count; i++) {
        if (zygote->runs[i].pid != pid)
            continue;
        zygote_send(zygote, CONTROL_EXITED, zygote->runs[i].run, status, 0, -1);
        zygote->runs[i] = zygote->runs[--zygote->run_count];
        return;
    }
}

static bool is_run(const struct zygote *zygote, pid_t pid)
{
    for (size_t i = 0; i < zygote->run_count; i++)
        if (zygote->runs[i].pid == pid)
            return true;
    return false;
}

static void children_reap(struct zygote *zygote)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;

    while (read(zygote->signal_fd, &info, sizeof info) > 0)
        ;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        run_reaped(zygote, pid, status);
}

static pid_t init_fork(struct zygote *zygote, const struct control_message *fork, unsigned layers,
                       int ready_fd, int *ret_pidfd)
{
    struct init_config config = {
        .host_fd = fork->fds[0],
        .call_fd = fork->fds[1],
        .out_fd = fork->fds[2],
        .err_fd = fork->fds[3],
        .host_pidfd = zygote->host_pidfd,
        .ready_fd = ready_fd,
        .namespaces = layers,
        .uid = geteuid(),
        .gid = getegid(),
        .setup = &zygote->setup,
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
static pid_t init_fork_first(struct zygote *zygote, const struct control_message *fork,
                             unsigned layers, int *ret_pidfd)
{
    int pipe_fds[2], status = 0;
    char byte;
    pid_t pid;
    ssize_t n;

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return -errno;
    pid = init_fork(zygote, fork, layers, pipe_fds[1], ret_pidfd);
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

static unsigned layers_wanted(const struct zygote *zygote, int64_t flags)
{
    if ((flags & FORK_NO_NAMESPACES) || zygote->namespaces_error)
        return 0;
    return flags & FORK_HOST_NET ? LAYER_NAMESPACES & ~LAYER_NET_NS : LAYER_NAMESPACES;
}

static pid_t run_fork(struct zygote *zygote, const struct control_message *fork, int *ret_pidfd)
{
    unsigned layers = layers_wanted(zygote, fork->packet.values[0]);
    pid_t pid;

    if (!layers)
        return init_fork(zygote, fork, 0, -1, ret_pidfd);
    if (zygote->namespaces_known)
        return init_fork(zygote, fork, layers, -1, ret_pidfd);
    pid = init_fork_first(zygote, fork, layers, ret_pidfd);
    /* No memory and no process slots say nothing about namespaces. */
    if (pid == -ENOMEM || pid == -EAGAIN)
        return pid;
    zygote->namespaces_known = true;
    if (pid > 0)
        return pid;
    zygote->namespaces_error = pid;
    return init_fork(zygote, fork, 0, -1, ret_pidfd);
}

static void fork_serve(struct zygote *zygote, const struct control_message *fork)
{
    int pidfd = -1;
    pid_t pid = fork->fd_count == 4 ? run_fork(zygote, fork, &pidfd) : -EPROTO;

    if (pid > 0 && run_remember(zygote, fork->packet.run, pid) < 0) {
        kill(pid, SIGKILL);
        pid = -ENOMEM;
    }
    zygote_send(zygote, CONTROL_FORKED, fork->packet.run, pid, zygote->namespaces_error, pidfd);
    fd_close(pidfd);
}

/* Without a pid namespace what a run left behind becomes a child of ours when its init is gone. */
static void orphans_kill(const struct zygote *zygote)
{
    char path[64];
    FILE *file;
    long pid;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "re");
    if (!file)
        return;
    while (fscanf(file, "%ld", &pid) == 1)
        if (!is_run(zygote, (pid_t)pid))
            kill((pid_t)pid, SIGKILL);
    fclose(file);
}

static int control_serve(struct zygote *zygote)
{
    struct control_message message;
    int r = control_receive(zygote->control_fd, MSG_DONTWAIT, &message);

    if (r == -EAGAIN)
        return 1;
    if (r <= 0)
        return r;
    if (message.packet.type == CONTROL_FORK)
        fork_serve(zygote, &message);
    control_close_fds(&message);
    return 1;
}

static void zygote_serve(struct zygote *zygote)
{
    struct pollfd fds[] = {
        {.fd = zygote->control_fd, .events = POLLIN},
        {.fd = zygote->signal_fd, .events = POLLIN},
        {.fd = zygote->host_pidfd, .events = POLLIN},
    };

    for (;;) {
        if (poll(fds, 3, -1) < 0 && errno != EINTR)
            return;
        if (fds[1].revents) {
            children_reap(zygote);
            if (zygote->has_plain_runs)
                orphans_kill(zygote);
        }
        if (fds[2].revents)
            return; /* an embedder's own fork may hold the socket open: its death is what counts */
        if (fds[0].revents && control_serve(zygote) <= 0)
            return;
    }
}

int zygote_main(int control_fd)
{
    struct zygote zygote = {.control_fd = control_fd, .host_pidfd = -1, .signal_fd = -1};
    int r;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    r = zygote_start(&zygote);
    if (r == 0)
        r = signals_watch(&zygote);
    if (r == 0)
        zygote_serve(&zygote);
    /* Every init holds the host's pidfd and its own channel, and ends by itself; killing them here
     * only makes it sooner. */
    for (size_t i = 0; i < zygote.run_count; i++)
        kill(zygote.runs[i].pid, SIGKILL);
    _exit(r == 0 ? 0 : 71);
}
