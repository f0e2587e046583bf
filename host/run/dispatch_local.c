/* SPDX-License-Identifier: MIT
 *
 * The run's tools process: started at the first call of a local tool, spoken to in the script's own
 * ids, and replaced when it dies.
 */
#include "run/dispatch.h"

#include "base/buf.h"
#include "base/fd.h"
#include "run/core.h"
#include "run/parcel.h"
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

#define LARGE_BODY_BYTES (64u * 1024u) /* passed on without a copy */

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

/* A frame of the tools process that is passed on: its bodies stay where they are. */
struct reply {
    struct frame frame;
    struct frame_memory memory; /* they lie in it; data NULL: in the reader */
};

static int reply_queue(struct dispatch *dispatch, struct reply *reply,
                       const struct frame_part *head, const struct frame_part *bodies,
                       size_t body_count)
{
    struct frame_header header = reply->frame.header;
    struct frame_queue *queue = &dispatch->script.queue;
    int r;

    if (!reply->memory.data || !reply->frame.header.body_bytes)
        return frame_queue_push(queue, &header, head, bodies, body_count);
    r = frame_queue_push_owned(queue, &header, head, bodies, body_count, reply->memory);
    if (r == 0)
        reply->memory.data = NULL;
    return r;
}

/* Passes the answer on as it came: only the script reads it, and script and tools live behind the
 * same wall. */
static int reply_forward(struct dispatch *dispatch, struct reply *reply)
{
    const struct frame *frame = &reply->frame;
    struct frame_part head = {frame->head, frame->header.head_bytes};
    struct frame_part body = {frame->body, frame->header.body_bytes};

    return reply_queue(dispatch, reply, &head, &body, body.length ? 1 : 0);
}

/* The result is JSON text: the word goes in front of its last brace. */
static int json_forward_with_warning(struct dispatch *dispatch, struct reply *reply,
                                     const json_t *warning)
{
    const struct frame *frame = &reply->frame;
    const char *text = (const char *)frame->body;
    size_t length = frame->header.body_bytes;
    struct frame_part head = {frame->head, frame->header.head_bytes}, bodies[2];
    _cleanup_buf_ struct buf tail = BUF_INIT(0);

    if (length < 3 || text[0] != '{' || text[length - 1] != '}' || !reply->memory.data)
        return reply_forward(dispatch, reply);
    if (buf_append_text(&tail, ",\"_warning\":") < 0 || json_append(&tail, warning) < 0 ||
        buf_append_text(&tail, "}") < 0)
        return -ENOMEM;
    bodies[0] = (struct frame_part){text, length - 1};
    bodies[1] = (struct frame_part){tail.data, tail.length};
    return reply_queue(dispatch, reply, &head, bodies, 2);
}

/* The rare answer that needs a word of ours added: into its head, the bodies stay as they are. */
static int reply_forward_with_warning(struct dispatch *dispatch, struct reply *reply,
                                      json_t *warning)
{
    const struct frame *frame = &reply->frame;
    struct frame_part body = {frame->body, frame->header.body_bytes}, part;
    _cleanup_json_ json_t *head =
        json_parse(frame->head, frame->header.head_bytes, JSON_DEPTH_MAX, NULL);
    json_t *result = json_object_get(head, "result");
    _cleanup_buf_ struct buf text = BUF_INIT(0);

    if (frame->header.flags & FRAME_JSON_BODY)
        return json_forward_with_warning(dispatch, reply, warning);
    if (!json_is_object(result) || json_object_get(result, "_warning"))
        return reply_forward(dispatch, reply);
    if (json_object_set(result, "_warning", warning) < 0 || json_append(&text, head) < 0)
        return -ENOMEM;
    part = (struct frame_part){text.data, text.length};
    return reply_queue(dispatch, reply, &part, &body, body.length ? 1 : 0);
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

/* To the script that waits for it. */
static void reply_pass(struct dispatch *dispatch, const struct frame *frame, struct call *call)
{
    struct reply reply = {.frame = *frame};
    int r = 0;

    if (frame->header.body_bytes > LARGE_BODY_BYTES)
        r = frame_reader_take(&dispatch->local.reader, &reply.frame, &reply.memory);
    if (r == 0 && call->state == CALL_RUNNING && dispatch->script.fd >= 0)
        r = call->warning ? reply_forward_with_warning(dispatch, &reply, call->warning)
                          : reply_forward(dispatch, &reply);
    loop_free_later(&dispatch->run->core->loop, reply.memory.data, reply.memory.bytes);
    if (r < 0)
        run_fail(dispatch->run, RUN_END_PROTOCOL, "an answer cannot be passed on: %s",
                 strerror(-r));
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
    reply_pass(dispatch, frame, call);
    if (run_has_ended(dispatch->run))
        return;
    dispatch_end(dispatch, call, !(frame->header.flags & FRAME_ERROR));
    dispatch_start_ready(dispatch);
}

void dispatch_local_serve(struct dispatch *dispatch)
{
    struct loop *loop = &dispatch->run->core->loop;
    struct frame frame;
    int r = 0;

    while (!run_has_ended(dispatch->run) && dispatch->local.fd >= 0 &&
           (r = frame_reader_next(&dispatch->local.reader, &frame)) > 0) {
        reply_serve(dispatch, &frame);
        if (!loop_out_of_time(loop))
            continue;
        loop_work_add(loop, &dispatch->work);
        break;
    }
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
        dispatch_local_serve(dispatch);
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

static json_t *head_make(const struct dispatch *dispatch, const struct call *call)
{
    return json_pack("{s:s, s:O, s:I}", "tool", call->spec->name, "args", call->args, "deadline_ms",
                     (json_int_t)run_time_left_ms(dispatch->run));
}

/* The bodies leave from where the reader has put them. */
static int parcel_send(struct dispatch *dispatch, struct call *call, json_t *head)
{
    struct parcel *parcel = call->parcel;
    struct frame_header header = {.type = FRAME_CALL, .id = call->id};
    struct frame_part part, body = {parcel->body, parcel->header.body_bytes};
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    int r = message_outline_restore(&parcel->outline, head);

    if (r == 0)
        r = json_append(&text, head);
    if (r < 0)
        return r;
    part = (struct frame_part){text.data, text.length};
    if (!body.length)
        return frame_queue_push(&dispatch->local.queue, &header, &part, NULL, 0);
    r = frame_queue_push_owned(&dispatch->local.queue, &header, &part, &body, 1, parcel->memory);
    if (r == 0)
        parcel->memory.data = NULL;
    return r;
}

/* Arguments that came as JSON go as JSON. */
static int text_send(struct dispatch *dispatch, struct call *call, json_t *head)
{
    struct frame_header header = {.type = FRAME_CALL, .id = call->id, .flags = FRAME_JSON_BODY};
    struct frame_part part, body = {call->args_text, call->args_length};
    struct frame_memory memory = {call->args_text, call->args_length};
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    int r;

    json_object_del(head, "args");
    r = json_append(&text, head);
    if (r < 0)
        return r;
    part = (struct frame_part){text.data, text.length};
    r = frame_queue_push_owned(&dispatch->local.queue, &header, &part, &body, 1, memory);
    if (r == 0)
        call->args_text = NULL;
    return r;
}

/* Arguments that are all there. Those of a run without a script may be large, but the run holds the
 * strings for as long as the queue lives. */
static int args_send(struct dispatch *dispatch, struct call *call, json_t *head)
{
    struct frame_header header = {.type = FRAME_CALL, .id = call->id};
    struct message_encoded message;
    struct frame_memory memory = {0};
    struct frame_part part;
    int r = message_encode(head, "args", &message);

    if (r < 0)
        return r;
    header.flags = message.flags;
    part = (struct frame_part){message.head.data, message.head.length};
    if (dispatch->run->tool && message.part_count) {
        memory = (struct frame_memory){message.json_body.data, message.json_body.capacity};
        r = frame_queue_push_owned(&dispatch->local.queue, &header, &part, message.parts,
                                   message.part_count, memory);
        if (r == 0)
            buf_init(&message.json_body, 0);
    } else {
        r = frame_queue_push(&dispatch->local.queue, &header, &part, message.parts,
                             message.part_count);
    }
    message_encoded_deinit(&message);
    return r;
}

int dispatch_local_send(struct dispatch *dispatch, struct call *call)
{
    int r = dispatch->local.fd < 0 ? local_open(dispatch) : 0;
    _cleanup_json_ json_t *head = r == 0 ? head_make(dispatch, call) : NULL;

    if (r == 0 && !head)
        r = -ENOMEM;
    if (r < 0)
        return r;
    if (call->parcel)
        r = parcel_send(dispatch, call, head);
    else if (call->text_complete)
        r = text_send(dispatch, call, head);
    else
        r = args_send(dispatch, call, head);
    parcel_free(call->parcel, &dispatch->run->core->loop);
    call->parcel = NULL;
    json_decref(call->args); /* the tools process has them now */
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
