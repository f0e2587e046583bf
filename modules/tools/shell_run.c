/* SPDX-License-Identifier: MIT
 *
 * The poll loop around one shell. The end of the shell decides, not the end of its pipes: a
 * background process may hold those for ever.
 */
#include "tools/shell_run.h"

#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define TERM_GRACE_NS    (500 * NS_PER_MS) /* between TERM and KILL */
#define LINGER_NS        (300 * NS_PER_MS) /* reading goes on after the shell's end */
#define NO_PIDFD_TICK_MS 20
#define READ_BYTES       65536

/* One shell being watched. */
struct watch {
    struct shell_process process;
    const struct shell_limits *limits;
    struct shell_outcome *outcome;
    unsigned char *block;
    uint64_t kill_ns;   /* when KILL follows TERM; 0: nothing was sent */
    uint64_t linger_ns; /* when reading ends; 0: the shell still runs */
    bool killed;
};

static void signal_group(const struct watch *watch, int signal)
{
    pid_t pid = watch->process.pid;

    /* In a run without namespaces setpgid is only pretended: then there is no such group. */
    if (kill(-pid, signal) < 0) {
        kill(pid, signal);
    }
}

/* Until all is read or the pipe is empty for now. Returns the fd, or -1 when it is at its end. */
static int read_output(struct watch *watch, int fd, struct headtail *into)
{
    for (int i = 0; i < 16; i++) { /* then the clock and the other fds have their turn */
        ssize_t n = read(fd, watch->block, READ_BYTES);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 && errno == EAGAIN ? fd : fd_close(fd);
        }
        headtail_append(into, watch->block, (size_t)n);
    }
    return fd;
}

static int read_record(struct watch *watch, int fd)
{
    for (;;) {
        ssize_t n = read(fd, watch->block, READ_BYTES);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 && errno == EAGAIN ? fd : fd_close(fd);
        }
        buf_append(&watch->outcome->record, watch->block, (size_t)n); /* beyond its limit: lost */
    }
}

static void read_all(struct watch *watch)
{
    struct shell_process *process = &watch->process;

    if (process->output_fd >= 0) {
        process->output_fd = read_output(watch, process->output_fd, &watch->outcome->output);
    }
    if (process->stderr_fd >= 0) {
        process->stderr_fd = read_output(watch, process->stderr_fd, &watch->outcome->errors);
    }
    if (process->record_fd >= 0) {
        process->record_fd = read_record(watch, process->record_fd);
    }
}

/* True when the shell has ended. It is not reaped yet: while it is a zombie its process group's
 * number cannot be given to anybody else. */
static bool has_ended(const struct watch *watch)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)watch->process.pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
           info.si_pid == watch->process.pid;
}

static void reap(struct watch *watch)
{
    struct shell_outcome *outcome = watch->outcome;
    siginfo_t info = {0};

    if (watch->kill_ns != 0) { /* members of the group that ignored TERM */
        signal_group(watch, SIGKILL);
    }
    while (waitid(P_PID, (id_t)watch->process.pid, &info, WEXITED) < 0 && errno == EINTR) {
    }
    outcome->signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
    outcome->exit_code = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
    watch->process.pidfd = fd_close(watch->process.pidfd);
}

static void stop(struct watch *watch, enum shell_end end)
{
    watch->outcome->end = end;
    watch->kill_ns = clock_now_ns() + TERM_GRACE_NS;
    signal_group(watch, SIGTERM);
}

static void check_clock(struct watch *watch, uint64_t now)
{
    if (watch->kill_ns == 0 && watch->limits->deadline_ns != 0 &&
        now >= watch->limits->deadline_ns) {
        stop(watch, SHELL_TIMED_OUT);
    } else if (watch->kill_ns != 0 && now >= watch->kill_ns && !watch->killed) {
        watch->killed = true;
        signal_group(watch, SIGKILL);
    }
}

/* Milliseconds until something is due, rounded up; -1 = nothing. */
static int next_timeout_ms(const struct watch *watch, uint64_t now)
{
    uint64_t due = watch->linger_ns;
    uint64_t ms = 0;

    if (due == 0) {
        due = watch->kill_ns == 0 ? watch->limits->deadline_ns : watch->killed ? 0 : watch->kill_ns;
    }
    if (watch->linger_ns == 0 && watch->process.pidfd < 0) {
        return NO_PIDFD_TICK_MS;
    }
    if (due == 0) {
        return -1;
    }
    ms = due > now ? (due - now + NS_PER_MS - 1) / NS_PER_MS : 0;
    return ms > 60000 ? 60000 : (int)ms;
}

static void wait_for_something(struct watch *watch)
{
    struct shell_process *process = &watch->process;
    bool listening = watch->linger_ns == 0 && watch->kill_ns == 0;
    struct pollfd fds[] = {
        {.fd = process->output_fd, .events = POLLIN},
        {.fd = process->stderr_fd, .events = POLLIN},
        {.fd = process->record_fd, .events = POLLIN},
        {.fd = process->pidfd, .events = POLLIN},
        {.fd = listening ? watch->limits->cancel_fd : -1, .events = POLLIN},
    };

    if (poll(fds, 5, next_timeout_ms(watch, clock_now_ns())) > 0 && fds[4].revents != 0) {
        stop(watch, SHELL_CANCELLED);
    }
    read_all(watch);
}

static bool finished(const struct watch *watch)
{
    const struct shell_process *process = &watch->process;

    return watch->linger_ns != 0 && ((process->output_fd < 0 && process->stderr_fd < 0) ||
                                     clock_now_ns() >= watch->linger_ns);
}

static void watch_loop(struct watch *watch)
{
    while (!finished(watch)) {
        wait_for_something(watch);
        if (watch->linger_ns != 0) {
            continue;
        }
        check_clock(watch, clock_now_ns());
        if (has_ended(watch)) {
            reap(watch);
            read_all(watch); /* the record was written before the end: nothing to wait for */
            watch->process.record_fd = fd_close(watch->process.record_fd);
            watch->linger_ns = clock_now_ns() + LINGER_NS;
        }
    }
}

static void hand_over(struct watch *watch, int fd)
{
    if (fd >= 0) {
        drain_add(watch->limits->drain, fd);
    }
}

int shell_run(const struct shell_request *request, const struct shell_limits *limits,
              struct shell_outcome *ret_outcome)
{
    struct watch watch = {.limits = limits, .outcome = ret_outcome};
    int r = 0;

    memset(ret_outcome, 0, sizeof(*ret_outcome));
    headtail_init(&ret_outcome->output, limits->output_bytes_max);
    headtail_init(&ret_outcome->errors, limits->output_bytes_max);
    buf_init(&ret_outcome->record, SHELL_RECORD_BYTES_MAX);
    watch.block = malloc(READ_BYTES);
    if (watch.block == NULL) {
        return -ENOMEM;
    }
    r = shell_spawn(request, &watch.process);
    if (r == 0) {
        watch_loop(&watch);
        hand_over(&watch, watch.process.output_fd);
        hand_over(&watch, watch.process.stderr_fd);
    }
    free(watch.block);
    return r;
}

void shell_outcome_deinit(struct shell_outcome *outcome)
{
    headtail_deinit(&outcome->output);
    headtail_deinit(&outcome->errors);
    buf_deinit(&outcome->record);
}
