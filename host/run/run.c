/* SPDX-License-Identifier: MIT
 *
 * The state machine of one run.
 */
#include "run/run.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "run/core.h"
#include "run/run_io.h"
#include "run/run_setup.h"
#include "run/usage.h"
#include "run/zygote.h"
#include "wire/layers.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define GRACE_MS     500
#define SWEEP_MS_MAX 1000

/* ---- the end ---- */

/* In a pid namespace init's death is everybody's. Without one init has to find them all first: the
 * end of its channel tells it to, and it is killed only when it does not come to an end. */
static void run_kill(struct run *run)
{
    if (run->init_pidfd < 0)
        return;
    if (run->layers & LAYER_PID_NS) {
        fd_pidfd_signal(run->init_pidfd, SIGKILL);
        return;
    }
    fd_pidfd_signal(run->init_pidfd, SIGCONT); /* the script may have stopped it */
    loop_arm(&run->core->loop, &run->timer, clock_now_ns() + SWEEP_MS_MAX * NS_PER_MS);
}

/* The end of a script that neither ended by itself nor when it was asked to. */
static void run_note_kill(struct run *run)
{
    if (run->state != RUN_RUNNING || run->tool || run->exit_code >= 0)
        return;
    run->signal = SIGKILL;
    run->exit_code = 128 + SIGKILL;
}

static void run_end(struct run *run, enum run_end end)
{
    if (run->state == RUN_ENDED)
        return;
    run_note_kill(run);
    run->state = RUN_ENDED;
    run->end = run->ending != RUN_END_NONE ? run->ending : end;
    run->core->stats.protocol_errors += run->end == RUN_END_PROTOCOL;
    loop_disarm(&run->core->loop, &run->timer);
    loop_disarm(&run->core->loop, &run->beat_timer);
    if (run->frozen) {
        run->frozen = 1;
        run_thaw(run);
    }
    run->ended_ns = clock_now_ns();
    run->usage.wall_ns = run->ended_ns - run->started_ns;
    if (end != RUN_END_EXITED) /* else init has said it, of the dead process */
        usage_read(run->init_pid, &run->usage);
    run_io_drain(run);
    run_kill(run);
    run_io_close(run);
    dispatch_close(&run->dispatch);
    run->usage.tools_ns = run->dispatch.handlers_ns; /* with the calls that it has just cut off */
    if (!run->zygote || run->fork_waits)
        run->gone = true; /* no process was made */
    run->core->stats.runs_ended++;
    run_emit(run, &(struct run_event){.type = RUN_EVENT_ENDED, .ok = run->exit_code == 0});
}

void run_fail(struct run *run, enum run_end end, const char *format, ...)
{
    va_list args;

    if (run->state == RUN_ENDED)
        return;
    va_start(args, format);
    vsnprintf(run->detail, sizeof run->detail, format, args);
    va_end(args);
    run_end(run, end);
}

void run_done(struct run *run, int exit_code, int signal)
{
    run->exit_code = exit_code & 0xff;
    run->signal =
        signal == SIGINT ? SIGINT : 0; /* the only one that a script can end with by itself */
    run_end(run, RUN_END_DONE);
}

void run_answered(struct run *run, json_t *value)
{
    json_t *error = json_object_get(value, "error");

    run->value = json_incref(value);
    run->exit_code = error && !json_is_null(error) ? 1 : 0;
    run_end(run, RUN_END_DONE);
}

/* The script's process is gone: what it has sent before is in the sockets and pipes. */
static void run_exited(struct run *run, const struct control_packet *packet)
{
    int status = (int)packet->values[0];

    run->usage.user_us = (uint64_t)packet->values[1];
    run->usage.system_us = (uint64_t)packet->values[2];
    run->usage.max_rss_kib = (uint64_t)packet->values[3];
    dispatch_drain(&run->dispatch);
    if (run->state == RUN_ENDED)
        return;
    if (WIFEXITED(status) && run->dispatch.cut_off) {
        run_fail(run, RUN_END_PROTOCOL, "the script ended in the middle of a frame");
        return;
    }
    if (WIFSIGNALED(status)) {
        run->signal = WTERMSIG(status);
        run->exit_code = 128 + run->signal;
    } else {
        run->exit_code = WEXITSTATUS(status);
    }
    run_end(run, RUN_END_EXITED);
}

/* ---- time ---- */

/* Asks the script to end, then ends it. */
static void run_wind_down(struct run *run, enum run_end end, int signal)
{
    run->ending = end;
    if (run->frozen) { /* a stopped process takes no signal */
        run->frozen = 1;
        run_thaw(run);
    }
    run_io_send_init(run, CONTROL_SIGNAL, signal, -1);
    run_arm_timer(run, GRACE_MS);
}

static void run_begin(struct run *run)
{
    run->state = RUN_RUNNING;
    if (run->policy.timeout_ms)
        run_arm_timer(run, run->policy.timeout_ms);
    else
        loop_disarm(&run->core->loop, &run->timer);
    run_check_cancel(run);
    if (run->tool && run->state == RUN_RUNNING && run->ending == RUN_END_NONE)
        dispatch_direct(&run->dispatch, run->tool, run->tool_args);
}

static void run_start_failed(struct run *run)
{
    if (!run->init_pid) /* it has not even forked: the next run shall not wait for it too */
        zygote_kill(run->zygote);
    run_fail(run, RUN_END_UNAVAILABLE, "the interpreter did not start within %d s",
             RUN_START_MS_MAX / 1000);
}

void run_timer_due(struct loop_timer *timer)
{
    struct run *run = timer->user;

    if (run->state == RUN_ENDED)
        fd_pidfd_signal(run->init_pidfd, SIGKILL); /* its zygote hunts down what is left */
    else if (run->ending != RUN_END_NONE)
        run_end(run, run->ending);
    else if (run->bare && run->state == RUN_STARTING)
        run_begin(run);
    else if (run->state == RUN_STARTING)
        run_start_failed(run);
    else
        run_wind_down(run, RUN_END_WALL, SIGTERM);
}

uint64_t run_time_left_ms(const struct run *run)
{
    uint64_t now = clock_now_ns();

    if (!run->policy.timeout_ms || run->state != RUN_RUNNING || run->ending != RUN_END_NONE)
        return 0;
    return run->timer.deadline_ns > now + NS_PER_MS ? (run->timer.deadline_ns - now) / NS_PER_MS
                                                    : 1;
}

void run_cancel(struct run *run, const char *reason)
{
    int idle = 0;

    if (!atomic_compare_exchange_strong(&run->cancel, &idle, 1))
        return; /* the first reason stays */
    if (reason)
        strncpy(run->cancel_reason, reason, sizeof run->cancel_reason - 1);
    atomic_store(&run->cancel, 2);
    mailbox_wake(run->core->mailbox);
}

void run_check_cancel(struct run *run)
{
    int asked = 2;

    if (run->state == RUN_ENDED || !atomic_compare_exchange_strong(&run->cancel, &asked, 3))
        return;
    if (run->ending != RUN_END_NONE)
        return;
    if (run->state == RUN_STARTING)
        run_end(run, RUN_END_CANCELLED);
    else
        run_wind_down(run, RUN_END_CANCELLED, SIGINT);
}

/* ---- what zygote and init say ---- */

struct run *run_find(struct core *core, uint32_t number)
{
    for (struct run *run = core->runs; run; run = run->next)
        if (run->number == number)
            return run;
    return NULL;
}

int64_t run_fork_flags(const struct run *run)
{
    int64_t flags = 0;

    if (run->policy.net == POLICY_NET_ALL)
        flags |= FORK_HOST_NET;
    if (run->policy.no_namespaces)
        flags |= FORK_NO_NAMESPACES;
    if (run->tool)
        flags |= FORK_NO_SCRIPT;
    return flags;
}

void run_forked(struct run *run, pid_t pid, int namespaces_error, int pidfd)
{
    run->init_pidfd = pidfd;
    run->namespaces_error = namespaces_error;
    if (pid > 0) {
        run->init_pid = pid;
        if (run->state == RUN_ENDED)
            run_kill(run); /* it was cancelled meanwhile */
        return;
    }
    run_fail(run, RUN_END_UNAVAILABLE, "a process for the run cannot be made: %s", strerror(-pid));
    run_gone(run);
}

void run_gone(struct run *run)
{
    if (run->gone)
        return;
    if (run->state != RUN_ENDED) {
        dispatch_drain(&run->dispatch);
        run_fail(run, RUN_END_LOST, "the run's processes were killed from outside");
    }
    run->gone = true;
    zygote_release(run->zygote);
}

void run_zygote_died(struct run *run, const char *words)
{
    if (run->state != RUN_STARTING) /* its words are of its start, or of a module that it loaded */
        run_fail(run, RUN_END_LOST, "the helper program that holds the interpreter was killed");
    else if (words[0])
        run_fail(run, RUN_END_UNAVAILABLE, "the interpreter could not start: %s", words);
    else
        run_fail(run, RUN_END_UNAVAILABLE, "the helper program ended before the run began");
    run_gone(run);
}

static void layers_serve(struct run *run, const struct control_packet *packet)
{
    run->layers = (unsigned)packet->values[0];
    if (packet->values[1] < 0) {
        run_fail(run, RUN_END_UNAVAILABLE, "the run's walls cannot be built: %s",
                 strerror((int)-packet->values[1]));
        return;
    }
    if (run->state != RUN_STARTING)
        return;
    run_begin(run);
}

void run_init_message(struct run *run, const struct control_packet *packet)
{
    switch (packet->type) {
    case CONTROL_LAYERS:
        layers_serve(run, packet);
        break;
    case CONTROL_EXITED:
        run_exited(run, packet);
        break;
    case CONTROL_TOOLS_EXITED:
        dispatch_tools_exited(&run->dispatch, (int)packet->values[0]);
        break;
    default:
        run_fail(run, RUN_END_LOST, "the run's init sent something unknown");
    }
}

void run_init_lost(struct run *run)
{
    dispatch_drain(&run->dispatch);
    if (run->state == RUN_STARTING)
        run_fail(run, RUN_END_UNAVAILABLE, "the run's init ended before the run began");
    else
        run_fail(run, RUN_END_LOST, "the run's init was killed");
}

/* ---- the process is made ---- */

void run_fork_retry(struct run *run)
{
    int r;

    run->fork_waits = false;
    if (run->state == RUN_ENDED) {
        run->gone = true;
        return;
    }
    r = zygote_fork(run->zygote, run, run->child_fds);
    if (r == 0) {
        run->fork_waits = true;
        return;
    }
    run_io_close_child_ends(run);
    if (r < 0) {
        run->gone = true;
        run_fail(run, RUN_END_UNAVAILABLE, "the helper program does not answer: %s", strerror(-r));
    }
}

void run_release(struct run *run)
{
    run->event = NULL;
    run->decide = NULL;
    run->released = true;
    if (!core_is_inherited(run->core)) /* else it is the parent's to end */
        run_end(run, RUN_END_CANCELLED);
}
