/* SPDX-License-Identifier: MIT
 *
 * What happens in a run, as lines for the client.
 */
#include "cli/rpc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const stream_names[] = {"stdout", "stderr"};

static void begin(struct rpc_run *run, const char *event)
{
    rpc_say_begin(run->rpc, "event", run);
    rpc_say_member(run->rpc, "event");
    rpc_out_string(&run->rpc->out, NULL, event, strlen(event));
}

static void say_seconds(struct rpc *rpc, uint64_t us)
{
    char text[40];

    snprintf(text, sizeof text, "%" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);
    rpc_say_member(rpc, "seconds");
    rpc_out_text(&rpc->out, text);
}

static void say_output(struct rpc_run *run, int index, struct rpc_carry *carry, const char *data,
                       size_t length)
{
    struct rpc *rpc = run->rpc;

    begin(run, "output");
    rpc_say_member(rpc, "stream");
    rpc_out_string(&rpc->out, NULL, stream_names[index], strlen(stream_names[index]));
    rpc_say_member(rpc, "data");
    rpc_out_string(&rpc->out, carry, data, length);
    rpc_say_end(rpc);
}

static void say_call(struct rpc_run *run, const char *name, const struct ptc_event *event)
{
    struct rpc *rpc = run->rpc;
    const struct rpc_call *call = rpc_call_note(run, event->call);

    begin(run, name);
    rpc_say_member(rpc, "call");
    rpc_out_number(&rpc->out, call ? call->token : 0);
    rpc_say_member(rpc, "tool");
    rpc_out_string(&rpc->out, NULL, event->tool, strlen(event->tool));
}

static void call_started(struct rpc_run *run, const struct ptc_event *event)
{
    struct rpc *rpc = run->rpc;

    rpc_call_note(run, event->call);
    if (!(run->wants & RPC_WANTS_CALL_STARTED))
        return;
    say_call(run, "call_started", event);
    rpc_say_member(rpc, "args_preview");
    rpc_out_string(&rpc->out, NULL, event->data, event->length);
    rpc_say_end(rpc);
}

static void call_ended(struct rpc_run *run, const struct ptc_event *event)
{
    struct rpc *rpc = run->rpc;

    if (run->wants & RPC_WANTS_CALL_ENDED) {
        say_call(run, "call_ended", event);
        rpc_say_member(rpc, "ok");
        rpc_out_text(&rpc->out, event->ok ? "true" : "false");
        say_seconds(rpc, event->duration_us);
        rpc_say_end(rpc);
    }
    rpc_call_over(run, event->call);
}

/* Characters that never became whole. */
static void output_finish(struct rpc_run *run)
{
    for (int i = 0; i < 2; i++)
        if (run->carry[i].length)
            say_output(run, i, NULL, (const char *)run->carry[i].bytes, run->carry[i].length);
}

void rpc_run_event(void *user, const struct ptc_event *event)
{
    struct rpc_run *run = user;
    int index = event->stream == PTC_STREAM_STDERR;

    switch (event->type) {
    case PTC_EVENT_OUTPUT: /* a client that ends the service need not read for it */
        if ((run->wants & RPC_WANTS_OUTPUT) && run->rpc->state != RPC_ENDING)
            say_output(run, index, &run->carry[index], event->data, event->length);
        break;
    case PTC_EVENT_CALL_STARTED:
        call_started(run, event);
        break;
    case PTC_EVENT_CALL_ENDED:
        call_ended(run, event);
        break;
    case PTC_EVENT_HEARTBEAT:
        if (run->wants & RPC_WANTS_HEARTBEAT) {
            begin(run, "heartbeat");
            say_seconds(run->rpc, event->duration_us);
            rpc_say_end(run->rpc);
        }
        break;
    case PTC_EVENT_ENDED:
        output_finish(run);
        break;
    default: /* a newer library's */
        break;
    }
}
