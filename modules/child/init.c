/* SPDX-License-Identifier: MIT
 *
 * Init. In a pid namespace its death is everybody's death; without one it is a subreaper that hunts
 * down what the run left behind.
 */
#include "child/init_private.h"

#include "base/err.h"
#include "base/fd.h"
#include "child/session.h"
#include "child/setup.h"
#include "wire/control.h"
#include "wire/layers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool has_pid_ns(const struct init *init)
{
    return init->config->namespaces & LAYER_PID_NS;
}

/* ---- the end ---- */

/* Without a pid namespace: everything that descends from us is our child or becomes one when its
 * parent dies (subreaper). Killing all children until none is left ends, because each round leaves
 * nobody alive that existed at its start; a fork bomb only makes it longer. */
static void descendants_kill(void)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    for (int round = 0; round < 10000; round++) {
        FILE *file = fopen(path, "re");
        long pid;

        if (!file)
            return;
        while (fscanf(file, "%ld", &pid) == 1)
            kill((pid_t)pid, SIGKILL);
        fclose(file);
        if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD)
            return;
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
}

static _Noreturn void init_exit(struct init *init, int status)
{
    if (!has_pid_ns(init)) {
        if (init->script)
            kill(-init->script, SIGKILL);
        descendants_kill();
        if (init->scratch[0])
            scratch_remove(init->scratch);
    }
    _exit(status); /* in a pid namespace the kernel kills and reaps everybody else first */
}

/* ---- set-up ---- */

static void process_reset(const struct init_config *config)
{
    sigset_t set;

    /* A session of its own: no terminal, and a process group that no other run is in. */
    setsid();
    prctl(PR_SET_NAME, "ptc-init");
    /* The zygote's; it has one thread, so this means the process. Without a pid namespace it would
     * leave everybody else alive: there the end of the host's channel does the work. */
    if (config->namespaces & LAYER_PID_NS)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    umask(022);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_SETMASK, &set, NULL);
}

static int compare_int(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int fds_keep(const struct init_config *config)
{
    int keep[] = {0,
                  1,
                  2,
                  config->host_fd,
                  config->call_fd,
                  config->out_fd,
                  config->err_fd,
                  config->host_pidfd,
                  config->ready_fd,
                  config->handover_fd};
    size_t first = 0, count = sizeof keep / sizeof *keep;

    qsort(keep, count, sizeof *keep, compare_int);
    while (first < count && keep[first] < 0)
        first++;
    return fd_close_all_except(0, keep + first, count - first);
}

static int namespaces_enter(struct init *init)
{
    const struct init_config *config = init->config;
    int r = namespaces_apply(config->namespaces, config->uid, config->gid);

    if (r < 0)
        return r;
    init->layers |= config->namespaces;
    if (config->ready_fd >= 0) {
        if (write(config->ready_fd, "", 1) != 1)
            return -EPIPE;
        close(config->ready_fd);
    }
    /* Not earlier: the maps of a process that cannot be dumped belong to root. Now nothing in the
     * run can look into init, which has the fds of the host. */
    prctl(PR_SET_DUMPABLE, 0);
    return 0;
}

static int layers_report(const struct init *init, int64_t error)
{
    struct control_message message = {
        .packet = {.type = CONTROL_LAYERS, .values = {init->layers, error}},
    };

    return control_send(init->config->host_fd, &message);
}

/* ---- children ---- */

/* Forked before the run is known: it prepares itself while init builds the walls. */
static int script_fork(struct init *init)
{
    struct script_config script = {
        .zygote_setup = init->config->setup,
        .hotpages = init->config->hotpages,
        /* In a pid namespace the script shares init's group, so that os.setsid() works as it does
         * in any program that a shell's subprocess runs; signals to the group cannot reach init. */
        .own_group = !has_pid_ns(init),
    };
    int pair[2];
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    script.go_fd = pair[1];
    pid = fork();
    if (pid == 0)
        session_script(&script);
    close(pair[1]);
    if (pid < 0)
        return -errno;
    if (script.own_group)
        setpgid(pid, pid); /* both sides do it: whoever comes first */
    init->script = pid;
    init->go_fd = pair[0];
    return 0;
}

static void tools_fork(struct init *init, int channel_fd)
{
    struct tools_session session = {
        .setup = &init->setup,
        .home = init->scratch,
        .workspace_fd = init->workspace_fd,
        .channel_fd = channel_fd,
        .zygote_setup = init->config->setup,
    };
    pid_t pid = fork();

    if (pid == 0)
        session_tools(&session);
    if (pid > 0)
        init->tools = pid; /* when it fails the host sees its channel close */
}

static void child_exited(struct init *init, pid_t pid, int status, const struct rusage *usage)
{
    struct control_message message = {.packet = {.values = {status}}};

    if (pid == init->script) {
        message.packet.type = CONTROL_EXITED;
        message.packet.values[1] = usage->ru_utime.tv_sec * 1000000LL + usage->ru_utime.tv_usec;
        message.packet.values[2] = usage->ru_stime.tv_sec * 1000000LL + usage->ru_stime.tv_usec;
        message.packet.values[3] = usage->ru_maxrss;
        init->script = 0;
    } else if (pid == init->tools) {
        message.packet.type = CONTROL_TOOLS_EXITED;
        init->tools = 0;
    } else {
        return; /* an orphan of the run */
    }
    control_send(init->config->host_fd, &message);
}

static void children_reap(struct init *init)
{
    struct signalfd_siginfo info;
    struct rusage usage;
    int status;
    pid_t pid;

    while (read(init->signal_fd, &info, sizeof info) > 0)
        ;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0)
        child_exited(init, pid, status, &usage);
}

/* ---- what the host asks for ---- */

static void everybody_signal(const struct init *init, int sig)
{
    if (has_pid_ns(init))
        kill(-1, sig); /* all of the namespace but init itself */
    else if (init->script)
        kill(-init->script, sig);
}

static void request_serve(struct init *init, struct control_message *message)
{
    switch (message->packet.type) {
    case CONTROL_TOOLS:
        if (message->fd_count == 1)
            tools_fork(init, message->fds[0]);
        break;
    case CONTROL_SIGNAL:
        if (init->script)
            kill(init->script, (int)message->packet.values[0]);
        break;
    case CONTROL_FREEZE:
        everybody_signal(init, SIGSTOP);
        break;
    case CONTROL_THAW:
        everybody_signal(init, SIGCONT);
        break;
    default:
        control_close_fds(message);
        init_exit(init, 0);
    }
    control_close_fds(message);
}

static void host_serve(struct init *init)
{
    struct control_message message;
    int r = control_receive(init->config->host_fd, MSG_DONTWAIT, &message);

    if (r == -EAGAIN)
        return;
    if (r <= 0)
        init_exit(init, 0); /* the host is gone, or has dropped this run */
    request_serve(init, &message);
}

static _Noreturn void init_serve(struct init *init)
{
    struct pollfd fds[] = {
        {.fd = init->config->host_fd, .events = POLLIN},
        {.fd = init->config->host_pidfd, .events = POLLIN},
        {.fd = init->signal_fd, .events = POLLIN},
    };

    for (;;) {
        if (poll(fds, 3, -1) < 0 && errno != EINTR)
            init_exit(init, 71);
        if (fds[1].revents)
            init_exit(init, 0);
        if (fds[2].revents)
            children_reap(init);
        if (fds[0].revents)
            host_serve(init);
    }
}

static int signals_watch(struct init *init)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    init->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return init->signal_fd < 0 ? -errno : 0;
}

/* Waits until a run wants this init, or the zygote or the host is gone. */
static void run_await(struct init_config *config)
{
    struct pollfd fds[] = {
        {.fd = config->handover_fd, .events = POLLIN},
        {.fd = config->host_pidfd, .events = POLLIN},
    };
    struct control_message message;

    while (poll(fds, 2, -1) < 0 && errno == EINTR)
        ;
    if (fds[1].revents || control_receive(config->handover_fd, 0, &message) != 1 ||
        message.fd_count != 4)
        _exit(0);
    close(config->handover_fd);
    config->handover_fd = -1;
    config->host_fd = message.fds[0];
    config->call_fd = message.fds[1];
    config->out_fd = message.fds[2];
    config->err_fd = message.fds[3];
}

_Noreturn void init_main(const struct init_config *given)
{
    struct init_config mine = *given;
    const struct init_config *config = &mine;
    struct init init = {.config = config, .workspace_fd = -1};
    struct err err = ERR_INIT;
    int r;

    process_reset(config);
    if (fds_keep(config) < 0)
        _exit(71);
    if (namespaces_enter(&init) < 0)
        _exit(INIT_NAMESPACES_FAILED);
    r = config->no_script ? 0 : script_fork(&init);
    if (mine.handover_fd >= 0)
        run_await(&mine);
    if (r == 0)
        r = signals_watch(&init);
    if (r == 0)
        r = init_prepare_run(&init, &err);
    if (r == 0)
        r = init_send_go(&init);
    if (r == 0) /* the script's process has these, or it ends before user code */
        init.layers |= LAYER_FDS | LAYER_NO_NEW_PRIVS | LAYER_NO_CAPABILITIES;
    layers_report(&init, r);
    if (r < 0)
        init_exit(&init, SESSION_EXIT_SETUP);
    init_serve(&init);
}
