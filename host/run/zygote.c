/* SPDX-License-Identifier: MIT
 *
 * Zygotes of a host.
 */
#include "run/zygote.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "run/core.h"
#include "run/python_env.h"
#include "run/run.h"
#include "run/spawn.h"
#include "wire/control.h"
#include "wire/layers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- death ---- */

static void zygote_last_words(const struct zygote *zygote, char *text, size_t size)
{
    ssize_t n = pread(zygote->stderr_fd, text, size - 1, 0);

    text[n > 0 ? n : 0] = '\0';
}

static void zygote_died(struct zygote *zygote)
{
    char words[512];
    struct run *run, *next;

    if (zygote->state == ZYGOTE_DEAD)
        return;
    zygote->state = ZYGOTE_DEAD;
    loop_remove(&zygote->core->loop, &zygote->control_source);
    fd_pidfd_signal(zygote->pidfd, SIGKILL);
    zygote_last_words(zygote, words, sizeof words);
    log_line(&zygote->core->log, LOG_WARNING, "the zygote (pid %d) is gone%s%s", (int)zygote->pid,
             words[0] ? ": " : "", words);
    for (run = zygote->core->runs; run; run = next) {
        next = run->next;
        if (run->zygote == zygote)
            run_zygote_died(run, words);
    }
}

/* ---- what it says ---- */

static void forks_retry(struct zygote *zygote)
{
    zygote->forks_waiting = false;
    loop_set_events(&zygote->core->loop, &zygote->control_source, EPOLLIN);
    for (struct run *run = zygote->core->runs; run; run = run->next)
        if (run->zygote == zygote && run->fork_waits)
            run_fork_retry(run);
}

/* It still has last words when modules of the operator's preload list could not be imported. */
static void zygote_ready(struct zygote *zygote, int64_t has_words)
{
    char words[512];

    zygote->state = ZYGOTE_READY;
    if (!has_words)
        return;
    zygote_last_words(zygote, words, sizeof words);
    log_line(&zygote->core->log, LOG_WARNING, "preload: %s", words);
}

static void message_serve(struct zygote *zygote, struct control_message *message)
{
    const struct control_packet *packet = &message->packet;
    struct run *run = run_find(zygote->core, packet->run);

    switch (packet->type) {
    case CONTROL_READY:
        if (packet->values[0] < 0)
            zygote_died(zygote);
        else
            zygote_ready(zygote, packet->values[1]);
        break;
    case CONTROL_FORKED:
        zygote->has_plain_runs |= packet->values[1] != 0;
        if (run) {
            run_forked(run, (pid_t)packet->values[0], (int)packet->values[1],
                       message->fd_count ? message->fds[0] : -1);
            message->fd_count = 0;
        }
        break;
    case CONTROL_EXITED:
        if (run)
            run_gone(run);
        break;
    default:
        zygote_died(zygote);
    }
    control_close_fds(message);
}

static void control_ready(struct loop_source *source, uint32_t events)
{
    struct zygote *zygote = source->user;
    struct control_message message;
    int r;

    if (events & EPOLLOUT)
        forks_retry(zygote);
    /* One message a turn keeps a dispatch with a budget short; level triggering brings the rest. */
    r = control_receive(zygote->control_fd, MSG_DONTWAIT, &message);
    if (r == 1)
        message_serve(zygote, &message);
    else if (r != -EAGAIN)
        zygote_died(zygote);
}

static void pidfd_ready(struct loop_source *source, uint32_t events)
{
    struct zygote *zygote = source->user;
    struct control_message message;

    (void)events;
    /* What it said before it died still counts. */
    while (zygote->state != ZYGOTE_DEAD &&
           control_receive(zygote->control_fd, MSG_DONTWAIT, &message) == 1)
        message_serve(zygote, &message);
    loop_remove(&zygote->core->loop, &zygote->pidfd_source);
    zygote_died(zygote);
}

/* ---- birth ---- */

static int setup_send(struct zygote *zygote, const struct policy *policy)
{
    _cleanup_json_ json_t *setup = python_env_setup(policy);
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    _cleanup_fd_ int memfd = -1, host_pidfd = -1;
    struct control_message message = {.packet = {.type = CONTROL_SETUP}};
    int r = setup ? json_append(&text, setup) : -ENOMEM;

    if (r < 0)
        return r;
    memfd = fd_memfd_text("ptc-setup", text.data, text.length);
    if (memfd < 0)
        return memfd;
    host_pidfd = fd_pidfd_open(getpid());
    if (host_pidfd < 0)
        return host_pidfd;
    message.fds[0] = memfd;
    message.fds[1] = host_pidfd;
    message.fd_count = 2;
    return control_send(zygote->control_fd, &message);
}

static int zygote_watch(struct zygote *zygote)
{
    int r;

    zygote->control_source = (struct loop_source){
        .fd = zygote->control_fd, .events = EPOLLIN, .fn = control_ready, .user = zygote};
    zygote->pidfd_source = (struct loop_source){
        .fd = zygote->pidfd, .events = EPOLLIN, .fn = pidfd_ready, .user = zygote};
    r = loop_add(&zygote->core->loop, &zygote->control_source);
    return r < 0 ? r : loop_add(&zygote->core->loop, &zygote->pidfd_source);
}

static struct zygote *zygote_new(struct core *core, const struct policy *policy, char *key,
                                 struct err *err)
{
    struct zygote *zygote = calloc(1, sizeof *zygote);
    struct spawned spawned;
    int r;

    if (!zygote || spawn_child(core->child_path, &spawned, err) < 0) {
        free(zygote);
        free(key);
        return NULL;
    }
    zygote->core = core;
    zygote->key = key;
    zygote->cold = policy->cold;
    zygote->pid = spawned.pid;
    zygote->pidfd = spawned.pidfd;
    zygote->control_fd = spawned.control_fd;
    zygote->stderr_fd = spawned.stderr_fd;
    zygote->next = core->zygotes;
    core->zygotes = zygote;
    core->stats.zygote_starts++;
    r = zygote_watch(zygote);
    if (r == 0)
        r = setup_send(zygote, policy);
    if (r < 0) { /* it may be dead already: a library of its own that is not there */
        char words[512];

        zygote_last_words(zygote, words, sizeof words);
        err_errno(err, r, "cannot set the helper program up%s%s", words[0] ? ": " : "", words);
        log_line(&core->log, LOG_WARNING, "the helper program %s does not listen%s%s",
                 core->child_path, words[0] ? ": " : "", words);
        zygote_free(zygote);
        return NULL;
    }
    return zygote;
}

/* It may have been killed while nobody ran the loop. */
static bool is_alive(struct zygote *zygote)
{
    struct pollfd fd = {.fd = zygote->pidfd, .events = POLLIN};

    if (zygote->state != ZYGOTE_DEAD && poll(&fd, 1, 0) > 0)
        zygote_died(zygote);
    return zygote->state != ZYGOTE_DEAD;
}

struct zygote *zygote_get(struct core *core, const struct policy *policy, struct err *err)
{
    char *key = python_env_key(policy);

    if (!key) {
        err_errno(err, -ENOMEM, "no zygote");
        return NULL;
    }
    for (struct zygote *zygote = core->zygotes; zygote && !policy->cold; zygote = zygote->next) {
        if (zygote->cold || strcmp(zygote->key, key) != 0 || !is_alive(zygote))
            continue;
        free(key);
        return zygote;
    }
    return zygote_new(core, policy, key, err);
}

int zygote_fork(struct zygote *zygote, struct run *run, const int fds[4])
{
    struct control_message message = {
        .packet = {.type = CONTROL_FORK, .run = run->number, .values = {run_fork_flags(run)}},
        .fds = {fds[0], fds[1], fds[2], fds[3]},
        .fd_count = 4,
    };
    int r;

    if (zygote->has_plain_runs) /* one of them may have stopped it */
        fd_pidfd_signal(zygote->pidfd, SIGCONT);
    zygote->has_plain_runs |= (run_fork_flags(run) & FORK_NO_NAMESPACES) != 0;
    r = control_send(zygote->control_fd, &message);
    if (r == -EAGAIN || r == -ENOBUFS || r == -ETOOMANYREFS) {
        zygote->forks_waiting = true;
        loop_set_events(&zygote->core->loop, &zygote->control_source, EPOLLIN | EPOLLOUT);
        return 0;
    }
    if (r < 0)
        return r;
    zygote->run_count++;
    zygote->forks_served++;
    return 1;
}

void zygote_release(struct zygote *zygote)
{
    zygote->run_count--;
}

/* Whether zygote_free would not have to wait. */
static bool zygote_is_reaped(struct zygote *zygote)
{
    siginfo_t info = {0};

    zygote_kill(zygote);
    return waitid(P_PIDFD, (id_t)zygote->pidfd, &info, WEXITED | WNOHANG) < 0 ? errno != EINTR
                                                                              : info.si_pid != 0;
}

/* With a budget nobody waits for a process to die: its pidfd says when it has. */
void zygote_sweep(struct core *core)
{
    struct zygote *zygote, *next;

    for (zygote = core->zygotes; zygote; zygote = next) {
        next = zygote->next;
        if (zygote->run_count == 0 &&
            (zygote->state == ZYGOTE_DEAD || (zygote->cold && zygote->forks_served)) &&
            (!loop_has_budget(&core->loop) || zygote_is_reaped(zygote)))
            zygote_free(zygote);
    }
}

void zygote_kill(struct zygote *zygote)
{
    fd_pidfd_signal(zygote->pidfd, SIGKILL);
}

/* An embedder that ignores SIGCHLD or reaps everything makes this ECHILD, which is as good. */
static void zygote_reap(const struct zygote *zygote)
{
    siginfo_t info;

    while (waitid(P_PIDFD, (id_t)zygote->pidfd, &info, WEXITED) < 0 && errno == EINTR)
        ;
}

void zygote_free(struct zygote *zygote)
{
    struct zygote **link = &zygote->core->zygotes;

    while (*link && *link != zygote)
        link = &(*link)->next;
    if (*link)
        *link = zygote->next;
    loop_remove(&zygote->core->loop, &zygote->control_source);
    loop_remove(&zygote->core->loop, &zygote->pidfd_source);
    if (!core_is_inherited(zygote->core)) {
        zygote_kill(zygote);
        zygote_reap(zygote);
    }
    fd_close(zygote->pidfd);
    fd_close(zygote->control_fd);
    fd_close(zygote->stderr_fd);
    free(zygote->key);
    free(zygote);
}
