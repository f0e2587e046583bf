/* SPDX-License-Identifier: MIT
 *
 * What becomes of a CALL: a violation, a refusal, or an accepted call.
 */
#include "run/dispatch.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "run/core.h"
#include "run/run.h"
#include "wire/message.h"

#include <errno.h>
#include <string.h>

#define REFUSALS_FREE 100 /* before "ten times the budget" means anything */

/* A call that never reached a handler: free, until a script does nothing else. */
void dispatch_count_refusal(struct dispatch *dispatch)
{
    uint64_t budget = dispatch->run->policy.max_tool_calls;

    dispatch->refused++;
    dispatch->run->core->stats.calls_refused++;
    if (budget && dispatch->refused > budget * 10 + REFUSALS_FREE)
        run_fail(dispatch->run, RUN_END_REFUSALS,
                 "the script went on calling tools after %llu calls had been refused",
                 (unsigned long long)dispatch->refused - 1);
}

static const struct tool_spec *tool_find(struct dispatch *dispatch, uint64_t id, const char *name)
{
    const struct tool_spec *spec = toolset_find(&dispatch->tools, name);
    const struct policy *policy = &dispatch->run->policy;
    _cleanup_buf_ struct buf names = BUF_INIT(0);

    if (!spec) {
        toolset_append_names(&names, &dispatch->tools);
        dispatch_reply_error(dispatch, id,
                             "Tool '%.100s' is not available in this run. Available: %.*s", name,
                             (int)names.length, (const char *)names.data);
        return NULL;
    }
    if (policy->no_tool_calls ||
        (policy->max_tool_calls && dispatch->made >= policy->max_tool_calls)) {
        dispatch_reply_error(
            dispatch, id,
            "Tool call limit reached (%llu). No more tool calls are possible in "
            "this run.",
            (unsigned long long)(policy->no_tool_calls ? 0 : policy->max_tool_calls));
        return NULL;
    }
    if (dispatch->abandoned >= DISPATCH_ABANDONED_MAX) {
        dispatch_reply_error(dispatch, id,
                             "%s cannot start: %u calls that were given up before still run",
                             spec->name, dispatch->abandoned);
        return NULL;
    }
    return spec;
}

const struct tool_spec *dispatch_tool_allow(struct dispatch *dispatch, uint64_t id,
                                            const char *name)
{
    const struct tool_spec *spec = tool_find(dispatch, id, name);

    if (!spec)
        dispatch_count_refusal(dispatch);
    return spec;
}

static struct call *call_make(struct dispatch *dispatch, const struct frame_header *header,
                              const struct tool_spec *spec, json_t *args, const struct buf *warning)
{
    struct call *call = call_new(dispatch->run, dispatch->run->core->mailbox, header->id, spec);

    if (!call) {
        dispatch_reply_error(dispatch, header->id, "no memory for the call");
        return NULL;
    }
    call->args = json_incref(args);
    call->bytes = (size_t)header->head_bytes + header->body_bytes;
    call->run_user = dispatch->run->user;
    call->started_ns = clock_now_ns();
    if (warning->length)
        call->warning = json_text((const char *)warning->data, warning->length);
    return call;
}

struct call *dispatch_check(struct dispatch *dispatch, const struct frame_header *header,
                            const struct tool_spec *spec, const json_t *given)
{
    _cleanup_buf_ struct buf warning = BUF_INIT(4096);
    _cleanup_json_ json_t *args = NULL;
    struct err err = ERR_INIT;

    args = spec_validate(spec, given, &warning, &err);
    if (args)
        return call_make(dispatch, header, spec, args, &warning);
    dispatch_reply_error(dispatch, header->id, "%s", err.text);
    dispatch_count_refusal(dispatch);
    return NULL;
}

void dispatch_accept(struct dispatch *dispatch, struct call *call)
{
    dispatch_add(dispatch, call);
    dispatch_judge(dispatch, call);
    dispatch_start_ready(dispatch);
}

static void call_consider(struct dispatch *dispatch, const struct frame_header *header,
                          const struct tool_spec *spec, const json_t *given)
{
    struct call *call = dispatch_check(dispatch, header, spec, given);

    if (call)
        dispatch_accept(dispatch, call);
}

/* A violation ends the run. */
static bool call_may_come(struct dispatch *dispatch, uint64_t id)
{
    if (id <= dispatch->last_id) {
        run_fail(dispatch->run, RUN_END_PROTOCOL, "call id %llu does not rise",
                 (unsigned long long)id);
        return false;
    }
    dispatch->last_id = id;
    if (dispatch->in_flight - dispatch->abandoned < DISPATCH_IN_FLIGHT_MAX)
        return true;
    run_fail(dispatch->run, RUN_END_PROTOCOL, "more than %d calls at once", DISPATCH_IN_FLIGHT_MAX);
    return false;
}

void dispatch_call_unreadable(struct dispatch *dispatch, uint64_t id, const struct err *err)
{
    if (err->code == -E2BIG || err->code == -EMSGSIZE || err->code == -ENOMEM) {
        dispatch_reply_error(dispatch, id, "the call is too large: %s", err->text);
        dispatch_count_refusal(dispatch);
        return;
    }
    run_fail(dispatch->run, RUN_END_PROTOCOL, "a call that cannot be read: %s", err->text);
}

/* NULL: told already. */
static json_t *call_decode(struct dispatch *dispatch, const struct frame *frame)
{
    struct err err = ERR_INIT;
    json_t *head = message_decode(frame, "args", &err);

    if (!head) {
        dispatch_call_unreadable(dispatch, frame->header.id, &err);
        return NULL;
    }
    if (json_is_string(json_object_get(head, "tool")) &&
        json_is_object(json_object_get(head, "args")))
        return head;
    run_fail(dispatch->run, RUN_END_PROTOCOL, "a call without a tool or arguments");
    json_decref(head);
    return NULL;
}

void dispatch_call(struct dispatch *dispatch, struct frame *frame)
{
    _cleanup_json_ json_t *head = NULL;
    const struct tool_spec *spec;

    if (!call_may_come(dispatch, frame->header.id))
        return;
    if (dispatch_is_large(&frame->header)) {
        dispatch_large_begin(dispatch, frame);
        return;
    }
    head = call_decode(dispatch, frame);
    if (!head)
        return;
    spec = dispatch_tool_allow(dispatch, frame->header.id,
                               json_string_value(json_object_get(head, "tool")));
    if (spec)
        call_consider(dispatch, &frame->header, spec, json_object_get(head, "args"));
}

void dispatch_direct(struct dispatch *dispatch, const struct tool_spec *spec, json_t *args)
{
    const struct frame_header header = {.id = 1};

    dispatch->last_id = 1;
    if (!tool_find(dispatch, 1, spec->name))
        return;
    if (spec->place == SPEC_BROKER)
        dispatch_large_begin_args(dispatch, &header, spec, args);
    else
        call_consider(dispatch, &header, spec, args);
}

void dispatch_cancel(struct dispatch *dispatch, uint64_t id)
{
    struct call *call = dispatch_find(dispatch, id);

    /* At most one for each call: they cost no budget, so a flood of them would be work for free. */
    if (++dispatch->cancelled > dispatch->made + dispatch->refused) {
        run_fail(dispatch->run, RUN_END_PROTOCOL, "more cancellations than calls");
        return;
    }
    if (!call || call->state == CALL_ABANDONED)
        return; /* it has been answered meanwhile */
    if (call->state == CALL_WAITING || call->state == CALL_ASKED) {
        dispatch_forget_ask(dispatch, call);
        dispatch_end(dispatch, call, false);
        dispatch_start_ready(dispatch);
        return;
    }
    if (call->spec->place == SPEC_LOCAL)
        dispatch_local_cancel(dispatch, call);
    dispatch->abandoned++;
    call->state = CALL_ABANDONED; /* it ends when its handler answers */
}
