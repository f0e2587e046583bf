/* SPDX-License-Identifier: MIT
 *
 * The two channels of a run: frames in, frames out, and the end of both.
 */
#include "run/dispatch.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "run/core.h"
#include "run/run.h"
#include "run/usage.h"
#include "wire/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#define STALL_MS         10000
#define DRAIN_FRAMES_MAX 256 /* what may be honestly on its way: 64 calls, cancellations, DONE */

static void stall_due(struct loop_timer *timer)
{
    struct dispatch *dispatch = timer->user;

    run_fail(dispatch->run, RUN_END_PROTOCOL,
             "protocol_stalled: the script has not read its answers for %d s, and more than %u MiB "
             "wait",
             STALL_MS / 1000, DISPATCH_OUTBOUND_BYTES >> 20);
}

static void work_due(struct loop_work *work);

int dispatch_init(struct dispatch *dispatch, struct run *run, const struct toolset *tools)
{
    struct loop *loop = &run->core->loop;

    memset(dispatch, 0, sizeof *dispatch);
    dispatch->run = run;
    channel_init(&dispatch->script, loop);
    channel_init(&dispatch->local, loop);
    dispatch->work = (struct loop_work){.fn = work_due, .user = dispatch};
    dispatch->stall_timer = (struct loop_timer){.fn = stall_due, .user = dispatch};
    dispatch->ask_timer = (struct loop_timer){.fn = dispatch_ask_due, .user = dispatch};
    for (size_t i = 0; i < tools->count; i++) {
        int r = toolset_add(&dispatch->tools, tools->specs[i]);

        if (r < 0)
            return r;
    }
    return 0;
}

void dispatch_close(struct dispatch *dispatch)
{
    struct call *call, *next;

    loop_disarm(&dispatch->run->core->loop, &dispatch->stall_timer);
    loop_disarm(&dispatch->run->core->loop, &dispatch->ask_timer);
    loop_work_remove(&dispatch->run->core->loop, &dispatch->work);
    dispatch_large_drop(dispatch);
    channel_close(&dispatch->script);
    channel_close(&dispatch->local);
    for (call = dispatch->calls; call; call = next) {
        next = call->next;
        dispatch->calls = next;
        if (call->state == CALL_RUNNING || call->state == CALL_ABANDONED)
            dispatch_emit_ended(dispatch, call, false);
        dispatch_log_duration(dispatch, call);
        call->run = NULL;
        atomic_store(&call->unwanted, true);
        call_let_go(call, &dispatch->run->core->loop);
    }
}

void dispatch_deinit(struct dispatch *dispatch)
{
    dispatch_close(dispatch);
    toolset_deinit(&dispatch->tools);
    free(dispatch->records);
}

/* ---- out ---- */

static void frames_serve(struct dispatch *dispatch);

/* When the script does not read, its calls wait, and so do the tools that answer them; when that
 * lasts it is the script's fault. They also wait while the arguments of earlier ones take much of
 * the host's memory. */
void dispatch_pressure(struct dispatch *dispatch)
{
    struct loop *loop = &dispatch->run->core->loop;
    size_t before = dispatch->script.queue.bytes;
    bool reading = dispatch->script.reading, full, much;

    if (dispatch->script.fd < 0)
        return;
    channel_flush(&dispatch->script); /* a closed peer shows as the end of file when we read */
    full = dispatch->script.queue.bytes > DISPATCH_OUTBOUND_BYTES;
    much = dispatch->call_bytes > DISPATCH_INBOUND_BYTES; /* until some of them have ended */
    channel_set_reading(&dispatch->script, !full && !much && !dispatch->parcel);
    channel_set_reading(&dispatch->local, !full);
    if (!full)
        loop_disarm(loop, &dispatch->stall_timer);
    else if (!dispatch->stall_timer.heap_index || dispatch->script.queue.bytes < before)
        loop_arm(loop, &dispatch->stall_timer, clock_now_ns() + STALL_MS * NS_PER_MS);
    if (!reading && dispatch->script.reading)
        frames_serve(dispatch); /* some may have waited in the buffer */
}

int dispatch_send_run(struct dispatch *dispatch, const char *head, size_t head_length,
                      const char *code, size_t code_length)
{
    struct frame_header header = {.type = FRAME_RUN};
    struct frame_part head_part = {head, head_length}, body = {code, code_length};
    int r = frame_queue_push(&dispatch->script.queue, &header, &head_part, &body, 1);

    return r < 0 ? r : channel_flush(&dispatch->script);
}

/* ---- in ---- */

static void done_serve(struct dispatch *dispatch, const struct frame *frame)
{
    _cleanup_json_ json_t *head = message_decode(frame, "done", NULL);
    json_t *exit_code = json_object_get(head, "exit_code");

    if (!json_is_integer(exit_code)) {
        run_fail(dispatch->run, RUN_END_PROTOCOL, "DONE without an exit code");
        return;
    }
    usage_claim(json_object_get(head, "usage"), &dispatch->run->usage);
    run_done(dispatch->run, (int)json_integer_value(exit_code),
             (int)json_integer_value(json_object_get(head, "signal")));
}

static void frame_serve(struct dispatch *dispatch, struct frame *frame)
{
    switch (frame->header.type) {
    case FRAME_CALL:
        dispatch_call(dispatch, frame);
        break;
    case FRAME_CANCEL:
        dispatch_cancel(dispatch, frame->header.id);
        break;
    case FRAME_DONE:
        done_serve(dispatch, frame);
        break;
    default:
        run_fail(dispatch->run, RUN_END_PROTOCOL, "a frame of type %u, which only the host sends",
                 frame->header.type);
    }
}

/* Whether frames may still be served in this turn; else the rest is left for the next one. */
static bool time_is_left(struct dispatch *dispatch)
{
    struct loop *loop = &dispatch->run->core->loop;

    if (dispatch->draining)
        return --dispatch->draining > 0;
    if (!loop_out_of_time(loop))
        return true;
    loop_work_add(loop, &dispatch->work);
    return false;
}

/* Everything that is whole in the buffer, but for what has to wait. */
static void frames_serve(struct dispatch *dispatch)
{
    struct frame frame;
    bool first = true;
    int r;

    while (!run_has_ended(dispatch->run) && dispatch->script.reading && !dispatch->parcel &&
           (first || time_is_left(dispatch))) {
        first = false;
        r = frame_reader_next(&dispatch->script.reader, &frame);
        if (r == 0)
            break;
        if (r < 0) {
            run_fail(dispatch->run, RUN_END_PROTOCOL, "a frame that cannot be: %s", strerror(-r));
            return;
        }
        frame_serve(dispatch, &frame);
    }
    if (!run_has_ended(dispatch->run))
        dispatch_pressure(dispatch);
}

static void work_due(struct loop_work *work)
{
    struct dispatch *dispatch = work->user;

    if (dispatch->parcel)
        dispatch_large_step(dispatch);
    else if (dispatch->script.fd >= 0)
        frames_serve(dispatch);
    if (!run_has_ended(dispatch->run) && dispatch->local.fd >= 0)
        dispatch_local_serve(dispatch);
}

/* No more tools; the script may go on computing. */
static void script_lost(struct dispatch *dispatch)
{
    if (dispatch->script.fd < 0)
        return;
    dispatch_large_drop(dispatch);
    dispatch->cut_off = frame_reader_is_mid_frame(&dispatch->script.reader);
    channel_close(&dispatch->script);
    loop_disarm(&dispatch->run->core->loop, &dispatch->stall_timer); /* nothing waits for it now */
    channel_set_reading(&dispatch->local, true);
}

static void script_ready(struct loop_source *source, uint32_t events)
{
    struct dispatch *dispatch = source->user;
    ssize_t n;

    if (events & EPOLLOUT)
        dispatch_pressure(dispatch);
    if (dispatch->script.fd < 0 || !(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        return;
    n = frame_reader_fill(&dispatch->script.reader, dispatch->script.fd, 0);
    if (n > 0)
        frames_serve(dispatch);
    else if (n == -ENOMEM)
        run_fail(dispatch->run, RUN_END_LOST, "there was no memory for a call");
    else if (n != -EAGAIN && n != -EINTR)
        script_lost(dispatch);
}

int dispatch_open(struct dispatch *dispatch, int fd)
{
    return channel_open(&dispatch->script, fd, script_ready, dispatch);
}

void dispatch_drain(struct dispatch *dispatch)
{
    ssize_t n = 1;
    int left = 0;

    if (dispatch->script.fd < 0)
        return;
    /* No more than what waits now: a forked child of the script may go on writing for ever. */
    ioctl(dispatch->script.fd, FIONREAD, &left);
    dispatch_large_drop(dispatch); /* nobody waits for it */
    dispatch->draining = DRAIN_FRAMES_MAX;
    dispatch_pressure(dispatch);
    frames_serve(dispatch);
    while (left > 0 && n > 0 && dispatch->script.fd >= 0 && !run_has_ended(dispatch->run)) {
        n = frame_reader_fill(&dispatch->script.reader, dispatch->script.fd, 0);
        left -= (int)n;
        if (n > 0)
            frames_serve(dispatch);
    }
    if (!run_has_ended(dispatch->run))
        script_lost(dispatch);
}
