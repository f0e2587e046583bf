/* SPDX-License-Identifier: MIT
 *
 * The run's tools process: started at the first call of a local tool, spoken to in the script's own
 * ids, and replaced when it dies.
 */
#include "run/dispatch.h"

#include "base/err.h"
#include "base/fd.h"
#include "run/run.h"
#include "run/run_io.h"
#include "wire/control.h"
#include "wire/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* The process is gone: its calls are answered, the next one starts another. */
static void local_lost(struct dispatch *dispatch)
{
    struct call *call, *next;

    channel_close(&dispatch->local);
    for (call = dispatch->calls; call && !run_has_ended(dispatch->run); call = next) {
        next = call->next;
        if (call->spec->place != SPEC_LOCAL || call->state == CALL_WAITING)
            continue;
        if (call->state == CALL_RUNNING)
            dispatch_fail(dispatch, call,
                          "the tools process of this run died during %s; later calls get a new one",
                          call->spec->name);
        else
            dispatch_end(dispatch, call, false);
    }
    if (run_has_ended(dispatch->run))
        return;
    dispatch_start_ready(dispatch);
    dispatch_pressure(dispatch);
}

void dispatch_tools_exited(struct dispatch *dispatch, int wait_status)
{
    (void)wait_status; /* its channel has closed, or does so now: that is what counts */
    if (dispatch->local.fd >= 0 && frame_reader_fill(&dispatch->local.reader, dispatch->local.fd,
                                                     MSG_PEEK | MSG_DONTWAIT) == 0)
        local_lost(dispatch);
}

/* Passes the answer on as it came: only the script reads it, and script and tools live behind the
 * same wall. */
static void reply_forward(struct dispatch *dispatch, const struct frame *frame)
{
    struct frame_header header = frame->header;
    struct frame_part head = {frame->head, header.head_bytes};
    struct frame_part body = {frame->body, header.body_bytes};

    if (dispatch->script.fd < 0)
        return;
    if (frame_queue_push(&dispatch->script.queue, &header, &head, &body, body.length ? 1 : 0) < 0)
        run_fail(dispatch->run, RUN_END_PROTOCOL, "no memory for an answer");
}

/* The rare answer that needs a word of ours added. */
static void reply_forward_with_warning(struct dispatch *dispatch, const struct frame *frame,
                                       struct call *call)
{
    _cleanup_json_ json_t *head = message_decode(frame, "result", NULL);
    json_t *result = json_object_get(head, "result");

    if (!json_is_object(result)) {
        reply_forward(dispatch, frame);
        return;
    }
    if (!json_object_get(result, "_warning"))
        json_object_set(result, "_warning", call->warning);
    dispatch_reply_json(dispatch, call->id, result);
}

/* The answer to the one call of a run without a script. */
static void reply_take(struct dispatch *dispatch, const struct frame *frame, struct call *call)
{
    _cleanup_json_ json_t *head = message_decode(frame, "result", NULL);
    json_t *result = json_object_get(head, "result");

    if (!result) {
        run_fail(dispatch->run, RUN_END_PROTOCOL, "the tools process sent no result");
        return;
    }
    if (call->warning && json_is_object(result) && !json_object_get(result, "_warning"))
        json_object_set(result, "_warning", call->warning);
    dispatch_end(dispatch, call, !(frame->header.flags & FRAME_ERROR));
    run_answered(dispatch->run, result);
}

static void reply_serve(struct dispatch *dispatch, const struct frame *frame)
{
    struct call *call = dispatch_find(dispatch, frame->header.id);

    if (frame->header.type != FRAME_REPLY || !call || call->spec->place != SPEC_LOCAL ||
        call->state == CALL_WAITING) {
        run_fail(dispatch->run, RUN_END_PROTOCOL, "the tools process sent an unexpected frame");
        return;
    }
    if (dispatch->run->tool) {
        reply_take(dispatch, frame, call);
        return;
    }
    if (call->state == CALL_RUNNING) {
        if (call->warning)
            reply_forward_with_warning(dispatch, frame, call);
        else
            reply_forward(dispatch, frame);
    }
    if (run_has_ended(dispatch->run))
        return;
    dispatch_end(dispatch, call, !(frame->header.flags & FRAME_ERROR));
    dispatch_start_ready(dispatch);
}

static void replies_serve(struct dispatch *dispatch)
{
    struct frame frame;
    int r = 0;

    while (!run_has_ended(dispatch->run) && dispatch->local.fd >= 0 &&
           (r = frame_reader_next(&dispatch->local.reader, &frame)) > 0)
        reply_serve(dispatch, &frame);
    if (run_has_ended(dispatch->run))
        return;
    if (r < 0)
        run_fail(dispatch->run, RUN_END_PROTOCOL, "the tools process sent a frame that cannot be");
    else
        dispatch_pressure(dispatch);
}

static void local_ready(struct loop_source *source, uint32_t events)
{
    struct dispatch *dispatch = source->user;
    ssize_t n;

    if (events & EPOLLOUT)
        channel_flush(&dispatch->local);
    if (dispatch->local.fd < 0 || !(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        return;
    n = frame_reader_fill(&dispatch->local.reader, dispatch->local.fd, 0);
    if (n > 0)
        replies_serve(dispatch);
    else if (n == -ENOMEM)
        run_fail(dispatch->run, RUN_END_LOST, "there was no memory for an answer");
    else if (n != -EAGAIN && n != -EINTR)
        local_lost(dispatch);
}

static int local_open(struct dispatch *dispatch)
{
    int pair[2];
    int r;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    pair[0] = fd_above_stdio(pair[0]);
    r = pair[0] < 0 ? pair[0] : run_io_send_init(dispatch->run, CONTROL_TOOLS, 0, pair[1]);
    fd_close(pair[1]);
    if (r < 0) {
        fd_close(pair[0]);
        return r;
    }
    return channel_open(&dispatch->local, pair[0], local_ready, dispatch);
}

int dispatch_local_send(struct dispatch *dispatch, struct call *call)
{
    struct message_encoded message;
    struct frame_header header = {.type = FRAME_CALL, .id = call->id};
    struct frame_part head;
    _cleanup_json_ json_t *json = NULL;
    int r = dispatch->local.fd < 0 ? local_open(dispatch) : 0;

    if (r < 0)
        return r;
    json = json_pack("{s:s, s:O, s:I}", "tool", call->spec->name, "args", call->args, "deadline_ms",
                     (json_int_t)run_time_left_ms(dispatch->run));
    if (!json)
        return -ENOMEM;
    r = message_encode(json, "args", &message);
    if (r < 0)
        return r;
    header.flags = message.flags;
    head = (struct frame_part){message.head.data, message.head.length};
    r = frame_queue_push(&dispatch->local.queue, &header, &head, message.parts, message.part_count);
    message_encoded_deinit(&message);
    json_decref(call->args); /* the tools process has them now; they may be large */
    call->args = NULL;
    if (r == 0)
        channel_flush(&dispatch->local);
    return r;
}

void dispatch_local_cancel(struct dispatch *dispatch, const struct call *call)
{
    struct frame_header header = {.type = FRAME_CANCEL, .id = call->id};
    struct frame_part head = {"{}", 2};

    if (dispatch->local.fd < 0)
        return;
    frame_queue_push(&dispatch->local.queue, &header, &head, NULL, 0);
    channel_flush(&dispatch->local);
}
