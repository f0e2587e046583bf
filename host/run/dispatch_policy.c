/* SPDX-License-Identifier: MIT
 *
 * The one place where every call of every script is judged before it is made. A call that somebody has
 * to decide about freezes its run: the script cannot go on, and its clock stands still.
 */
#include "run/dispatch.h"

#include "base/clock.h"
#include "run/core.h"
#include "run/run.h"

#include <string.h>

static void call_deny(struct dispatch *dispatch, struct call *call, const char *reason)
{
    dispatch->made--; /* it never reached a handler */
    dispatch->run->core->stats.calls_made--;
    dispatch_reply_error(dispatch, call->id, "%s was denied%s%s", call->spec->name,
                         reason && *reason ? ": " : " by the policy of this run",
                         reason && *reason ? reason : "");
    if (run_has_ended(dispatch->run))
        return;
    dispatch_end(dispatch, call, false);
    dispatch_count_refusal(dispatch);
}

/* ---- questions ---- */

static void ask_timer_update(struct dispatch *dispatch)
{
    struct loop *loop = &dispatch->run->core->loop;
    uint64_t deadline_ns = 0;

    for (const struct call *call = dispatch->calls; call; call = call->next)
        if (call->state == CALL_ASKED && call->ask_deadline_ns &&
            (!deadline_ns || call->ask_deadline_ns < deadline_ns))
            deadline_ns = call->ask_deadline_ns;
    if (deadline_ns)
        loop_arm(loop, &dispatch->ask_timer, deadline_ns);
    else
        loop_disarm(loop, &dispatch->ask_timer);
}

static void ask_begin(struct dispatch *dispatch, struct call *call)
{
    uint64_t ms = dispatch->run->policy.ask_timeout_ms;

    call->frozen = true;
    call->ask_deadline_ns = ms ? clock_now_ns() + ms * NS_PER_MS : 0;
    run_freeze(dispatch->run);
    ask_timer_update(dispatch);
}

void dispatch_forget_ask(struct dispatch *dispatch, struct call *call)
{
    if (call->state != CALL_ASKED)
        return;
    call->state = CALL_WAITING;
    if (!call->frozen)
        return;
    call->frozen = false;
    ask_timer_update(dispatch);
    run_thaw(dispatch->run);
}

void dispatch_decided(struct dispatch *dispatch, struct call *call, bool allow, const char *reason)
{
    if (call->state != CALL_ASKED)
        return; /* too late: the time was over, or the script has given up */
    dispatch_forget_ask(dispatch, call);
    if (allow)
        dispatch_allow(dispatch, call);
    else
        call_deny(dispatch, call, reason);
    if (run_has_ended(dispatch->run))
        return;
    dispatch_start_ready(dispatch);
    dispatch_pressure(dispatch);
}

void dispatch_ask_due(struct loop_timer *timer)
{
    struct dispatch *dispatch = timer->user;
    uint64_t now = clock_now_ns();
    struct call *call, *next;

    for (call = dispatch->calls; call && !run_has_ended(dispatch->run); call = next) {
        next = call->next;
        if (call->state != CALL_ASKED || !call->ask_deadline_ns || call->ask_deadline_ns > now)
            continue;
        int asked = 1;

        atomic_compare_exchange_strong(&call->asked, &asked, 3); /* a late answer is refused */
        dispatch_decided(dispatch, call, false, "nobody has answered in time");
        next = dispatch->calls; /* the list may have changed */
    }
    if (!run_has_ended(dispatch->run))
        ask_timer_update(dispatch);
}

/* ---- judging ---- */

void dispatch_judge(struct dispatch *dispatch, struct call *call)
{
    struct run *run = dispatch->run;
    enum run_decision decision;

    if (!run->decide) {
        dispatch_allow(dispatch, call);
        return;
    }
    if (call_make_args_text(call) < 0) {
        call_deny(dispatch, call, "no memory for the question");
        return;
    }
    atomic_fetch_add(&call->references, 1); /* the decider's, for as long as it thinks */
    atomic_store(&call->asked, 1);
    call->state = CALL_ASKED; /* before: it may decide from inside, or from a thread at once */
    decision = run->decide(run->owner, call);
    if (decision == RUN_ASK) {
        if (!run_has_ended(run)) /* only now: most calls are allowed at once and stop nothing */
            ask_begin(dispatch, call);
        return;
    }
    if (atomic_exchange(&call->asked, 2) == 1)
        call_unref(call);
    if (run_has_ended(run)) /* the function has freed it, and with it the list that held the call */
        return;
    dispatch_forget_ask(dispatch, call);
    if (decision == RUN_ALLOW)
        dispatch_allow(dispatch, call);
    else
        call_deny(dispatch, call, NULL);
}
