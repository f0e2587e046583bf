/* SPDX-License-Identifier: MIT
 *
 * Calls that are too large to be read in one turn of the loop. While one is on its way the frames
 * behind it wait, so that calls are accepted in the order in which they came.
 */
#include "run/dispatch.h"

#include "base/err.h"
#include "run/core.h"
#include "run/parcel.h"
#include "run/run.h"

#include <errno.h>

#define LARGE_FRAME_BYTES (64u * 1024u)
#define LARGE_JSON_BYTES  (8u * 1024u)

bool dispatch_is_large(const struct frame_header *header)
{
    uint64_t bytes = (uint64_t)header->head_bytes + header->body_bytes;

    return bytes > LARGE_FRAME_BYTES || parcel_is_all_head(header) ||
           (header->flags & FRAME_JSON_BODY && header->body_bytes > LARGE_JSON_BYTES);
}

void dispatch_large_drop(struct dispatch *dispatch)
{
    parcel_free(dispatch->parcel, &dispatch->run->core->loop);
    dispatch->parcel = NULL;
}

/* Frames that came behind it are served by the pressure that ends. */
static void large_refused(struct dispatch *dispatch)
{
    dispatch_large_drop(dispatch);
    if (!run_has_ended(dispatch->run))
        dispatch_pressure(dispatch);
}

/* The tools process takes long strings as they came; everybody else wants one text. */
static bool needs_text(const struct dispatch *dispatch, const struct parcel *parcel)
{
    return parcel->spec->place != SPEC_LOCAL || dispatch->run->decide ||
           parcel->header.flags & FRAME_JSON_BODY;
}

static void large_accept(struct dispatch *dispatch)
{
    struct parcel *parcel = dispatch->parcel;
    struct call *call = parcel->call;

    dispatch->parcel = NULL;
    parcel->call = NULL;
    if (parcel->has_text) {
        call->args_text = buf_steal_text(&parcel->text.out, &call->args_length);
        call->text_complete = true;
    }
    if (parcel->spec->place == SPEC_LOCAL && !(parcel->header.flags & FRAME_JSON_BODY))
        call->parcel = parcel;
    else
        parcel_free(parcel, &dispatch->run->core->loop);
    dispatch_accept(dispatch, call);
    if (!run_has_ended(dispatch->run))
        dispatch_pressure(dispatch);
}

static void open_step(struct dispatch *dispatch)
{
    struct parcel *parcel = dispatch->parcel;
    struct err err = ERR_INIT;
    struct call *call = NULL;
    int r = parcel_open_step(parcel, &err);

    if (r == 0)
        return;
    if (r < 0)
        dispatch_call_unreadable(dispatch, parcel->header.id, &err);
    else
        call = dispatch_check(dispatch, &parcel->header, parcel->spec,
                              json_object_get(parcel->outline.head, "args"));
    if (!call) { /* told already; when that has ended the run the parcel is gone, too */
        large_refused(dispatch);
        return;
    }
    parcel->call = call;
    parcel->call->started_ns = parcel->started_ns;
    if (!needs_text(dispatch, parcel))
        large_accept(dispatch);
}

static void text_step(struct dispatch *dispatch)
{
    struct parcel *parcel = dispatch->parcel;
    int r = parcel_text_step(parcel, parcel->call->args);

    if (r > 0)
        large_accept(dispatch);
    else if (r < 0) {
        dispatch_reply_error(dispatch, parcel->header.id, "no memory for the call");
        large_refused(dispatch);
    }
}

void dispatch_large_step(struct dispatch *dispatch)
{
    if (dispatch->parcel->call)
        text_step(dispatch);
    else
        open_step(dispatch);
    if (dispatch->parcel)
        loop_work_add(&dispatch->run->core->loop, &dispatch->work);
}

void dispatch_large_begin(struct dispatch *dispatch, struct frame *frame)
{
    struct err err = ERR_INIT;
    struct parcel *parcel = parcel_new(&dispatch->script.reader, frame, &err);
    const json_t *tool, *args;

    if (!parcel) {
        dispatch_call_unreadable(dispatch, frame->header.id, &err);
        return;
    }
    tool = json_object_get(parcel->outline.head, "tool");
    args = json_object_get(parcel->outline.head, "args");
    if (!json_is_string(tool) || !(json_is_object(args) || parcel->header.flags & FRAME_JSON_BODY))
        run_fail(dispatch->run, RUN_END_PROTOCOL, "a call without a tool or arguments");
    else
        parcel->spec = dispatch_tool_allow(dispatch, frame->header.id, json_string_value(tool));
    if (!parcel->spec || dispatch->draining) { /* nobody waits for it any more */
        parcel_free(parcel, &dispatch->run->core->loop);
        return;
    }
    dispatch->parcel = parcel;
    loop_work_add(&dispatch->run->core->loop, &dispatch->work);
}

void dispatch_large_begin_args(struct dispatch *dispatch, const struct frame_header *header,
                               const struct tool_spec *spec, json_t *args)
{
    struct parcel *parcel = parcel_new_args(args);

    if (!parcel) {
        dispatch_reply_error(dispatch, header->id, "no memory for the call");
        return;
    }
    parcel->header = *header;
    parcel->spec = spec;
    dispatch->parcel = parcel;
    loop_work_add(&dispatch->run->core->loop, &dispatch->work);
}
