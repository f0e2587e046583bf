/* SPDX-License-Identifier: MIT
 *
 * Birth and burial of a run.
 */
#include "run/run.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "run/core.h"
#include "run/run_io.h"
#include "run/run_setup.h"
#include "run/zygote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RUN_TIMERS 4 /* clock, heartbeat, question, stalled script: arming one must not fail */

/* It has ended before its owner knew of it. */
static void end_tell(struct loop_timer *timer)
{
    run_emit(timer->user, &(struct run_event){.type = RUN_EVENT_ENDED});
}

static void run_end_tell_later(struct run *run)
{
    run->beat_timer.fn = end_tell;
    run->beat_timer.user = run;
    loop_arm(&run->core->loop, &run->beat_timer, clock_now_ns());
}

static void run_free(struct run *run)
{
    run->core->run_count--;
    loop_disarm(&run->core->loop, &run->timer);
    loop_disarm(&run->core->loop, &run->beat_timer);
    run_io_close(run);
    run_io_close_child_ends(run);
    json_decref(run->tool_args);
    json_decref(run->value);
    fd_close(run->init_pidfd);
    dispatch_deinit(&run->dispatch);
    headtail_deinit(&run->streams[0].kept);
    headtail_deinit(&run->streams[1].kept);
    policy_deinit(&run->policy);
    free(run->workspace);
    free(run);
}

static struct run *run_new(struct core *core, const struct run_request *request)
{
    struct run *run = calloc(1, sizeof *run);

    if (!run)
        return NULL;
    run->core = core;
    run->number = ++core->next_run;
    run->exit_code = -1;
    run->init_fd = run->init_pidfd = -1;
    run->streams[0].fd = run->streams[1].fd = -1;
    for (int i = 0; i < 4; i++)
        run->child_fds[i] = -1;
    run->decide = request->decide;
    run->owner = request->owner;
    run->user = request->user;
    run->tool = request->tool;
    run->tool_args = json_incref(request->tool_args);
    run->timer = (struct loop_timer){.fn = run_timer_due, .user = run};
    run->started_ns = clock_now_ns();
    run->workspace = strdup(request->workspace);
    core->run_count++;
    if (dispatch_init(&run->dispatch, run, request->tools) < 0 || !run->workspace ||
        policy_copy(&run->policy, request->policy) < 0 ||
        loop_reserve(&core->loop, core->run_count * RUN_TIMERS) < 0) {
        run_free(run);
        return NULL;
    }
    return run;
}

/* A tool of the host needs no process. */
static int run_open_bare(struct run *run)
{
    run->gone = true;
    run->bare = true;
    run_arm_timer(run, 0); /* not now: the owner has no handle yet for its callbacks */
    return 0;
}

static int run_open(struct run *run, const struct run_request *request, struct err *err)
{
    int call_fd = -1;
    int r;

    if (run->tool && run->tool->place == SPEC_BROKER)
        return run_open_bare(run);
    run->zygote = zygote_get(run->core, &run->policy, err);
    if (!run->zygote)
        return err && err->code ? err->code : -ENOMEM;
    r = run_io_open(run, &call_fd);
    if (r == 0)
        r = dispatch_open(&run->dispatch, call_fd);
    if (r == 0)
        r = run_io_watch(run);
    if (r == 0)
        r = run_setup_send(run, request);
    if (r < 0)
        return err_errno(err, r, "cannot set the run up");
    run_arm_timer(run, RUN_START_MS_MAX);
    run_fork_retry(run);
    return 0;
}

struct run *run_start(struct core *core, const struct run_request *request, struct err *err)
{
    struct run *run = run_new(core, request);

    if (!run) {
        err_errno(err, -ENOMEM, "cannot start a run");
        return NULL;
    }
    if (run_open(run, request, err) < 0) {
        run_free(run);
        return NULL;
    }
    run->next = core->runs;
    core->runs = run;
    core->stats.runs_started++;
    run->event = request->event; /* only now: its owner has no handle before */
    if (run->state == RUN_ENDED)
        run_end_tell_later(run);
    else
        run_start_beat(run);
    return run;
}

void run_sweep(struct core *core)
{
    struct run **link = &core->runs;

    while (*link) {
        struct run *run = *link;

        if (!run->released || !run->gone) {
            link = &run->next;
            continue;
        }
        *link = run->next;
        run_free(run);
    }
}
