/* SPDX-License-Identifier: MIT
 *
 * The zygote's life: SETUP, interpreter, then FORK after FORK.
 */
#include "child/zygote.h"

#include "base/err.h"
#include "base/fd.h"
#include "child/interpreter.h"
#include "child/session.h"
#include "child/zygote_private.h"
#include "hermes/hermes.h"
#include "python/interp.h"
#include "python/script.h"
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

/* Everything that children can share is made here, once: the interpreter, its imports, and what is
 * known about the pages that they will not share. */
static int interpreter_prepare(struct zygote *zygote, struct err *err)
{
    int r;

    if (zygote->setup.cold)
        return 0;
    r = interpreter_start(&zygote->setup, err);
    if (r < 0)
        return r;
    if (hermes_preload() < 0)
        PyErr_Clear(); /* the first run will say it */
    script_warm_up("print(end='')\n");
    interp_freeze();
    interp_before_fork();
    hotpages_learn(&zygote->hotpages, session_rehearse);
    interp_after_fork_parent();
    return 0;
}

static int zygote_start(struct zygote *zygote)
{
    struct control_message message;
    const char *failures = NULL;
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
    if (r == 0 && !zygote->setup.cold)
        failures = interp_preload_failures();
    if (r < 0)
        dprintf(STDERR_FILENO, "%s", err.text); /* a memfd of the host's, which reads it now */
    else if (failures)
        dprintf(STDERR_FILENO, "%s", failures);
    zygote_send(zygote, CONTROL_READY, 0, r, failures != NULL, -1);
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

static bool is_ours(const struct zygote *zygote, pid_t pid)
{
    if (pid == zygote->spare.pid)
        return true;
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
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == zygote->spare.pid) {
            fd_close(zygote->spare.pidfd);
            zygote_forget_spare(zygote);
        }
        run_reaped(zygote, pid, status);
    }
}

static unsigned layers_wanted(const struct zygote *zygote, int64_t flags)
{
    if ((flags & FORK_NO_NAMESPACES) || zygote->namespaces_error)
        return 0;
    return flags & FORK_HOST_NET ? LAYER_NAMESPACES & ~LAYER_NET_NS : LAYER_NAMESPACES;
}

static void fork_serve(struct zygote *zygote, const struct control_message *fork)
{
    unsigned layers = layers_wanted(zygote, fork->packet.values[0]);
    int pidfd = -1;
    pid_t pid = fork->fd_count == 4 ? zygote_fork_init(zygote, fork, layers, &pidfd) : -EPROTO;

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
        if (!is_ours(zygote, (pid_t)pid))
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
            zygote_make_spare(zygote); /* a run has ended: nobody waits now */
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
    struct zygote zygote = {
        .control_fd = control_fd, .host_pidfd = -1, .signal_fd = -1, .spare = {0, -1, -1}};
    int r;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    r = zygote_start(&zygote);
    if (r == 0)
        r = signals_watch(&zygote);
    if (r == 0) {
        zygote_make_spare(&zygote);
        zygote_serve(&zygote);
    }
    /* Every init holds the host's pidfd and its own channel, and ends by itself; with a pid namespace
     * it dies with this process anyway. */
    _exit(r == 0 ? 0 : 71);
}
