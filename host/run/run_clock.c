/* SPDX-License-Identifier: MIT
 *
 * The times of a run that stand still, and the ones that repeat.
 */
#include "run/run.h"

#include "base/clock.h"
#include "run/core.h"
#include "run/run_io.h"

void run_arm_timer(struct run *run, uint64_t ms)
{
    loop_arm(&run->core->loop, &run->timer, clock_now_ns() + ms * NS_PER_MS);
}

void run_emit(struct run *run, const struct run_event *event)
{
    if (run->event)
        run->event(run->owner, event);
}

/* ---- freezing ---- */

static bool wall_clock_runs(const struct run *run)
{
    return run->state == RUN_RUNNING && run->ending == RUN_END_NONE && run->policy.timeout_ms;
}

void run_freeze(struct run *run)
{
    if (run->frozen++)
        return;
    run->frozen_ns = clock_now_ns();
    run->frozen_left_ns = 0;
    if (wall_clock_runs(run)) {
        uint64_t deadline_ns = run->timer.deadline_ns;

        run->frozen_left_ns = deadline_ns > run->frozen_ns ? deadline_ns - run->frozen_ns : 1;
        loop_disarm(&run->core->loop, &run->timer);
    }
    run_io_send_init(run, CONTROL_FREEZE, 0, -1);
}

void run_thaw(struct run *run)
{
    uint64_t now = clock_now_ns();

    if (!run->frozen || --run->frozen)
        return;
    run->usage.waiting_ns += now - run->frozen_ns;
    if (run->frozen_left_ns && wall_clock_runs(run))
        loop_arm(&run->core->loop, &run->timer, now + run->frozen_left_ns);
    run_io_send_init(run, CONTROL_THAW, 0, -1);
}

/* ---- heartbeats ---- */

static void beat_due(struct loop_timer *timer)
{
    struct run *run = timer->user;
    struct run_event event = {.type = RUN_EVENT_HEARTBEAT,
                              .duration_ns = clock_now_ns() - run->started_ns};

    if (run->state == RUN_ENDED)
        return;
    run_start_beat(run);
    run_emit(run, &event);
}

void run_start_beat(struct run *run)
{
    if (!run->event || !run->policy.heartbeat_ms)
        return;
    run->beat_timer.fn = beat_due;
    run->beat_timer.user = run;
    loop_arm(&run->core->loop, &run->beat_timer,
             clock_now_ns() + run->policy.heartbeat_ms * NS_PER_MS);
}
