/* SPDX-License-Identifier: MIT
 *
 * The decision about one call, its place among the others, and its answer.
 */
#include "run/dispatch.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "base/utf8.h"
#include "run/core.h"
#include "run/run.h"
#include "wire/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFUSALS_FREE      100 /* before "ten times the budget" means anything */
#define PARSE_ANSWER_BYTES (64 * 1024)

/* ---- answers ---- */

void dispatch_reply_json(struct dispatch *dispatch, uint64_t id, json_t *result)
{
    int r = dispatch->script.fd < 0 ? 0 : message_reply_queue(&dispatch->script.queue, id, result);

    if (r < 0)
        run_fail(dispatch->run, RUN_END_PROTOCOL, "an answer cannot be sent: %s", strerror(-r));
}

void dispatch_reply_error(struct dispatch *dispatch, uint64_t id, const char *format, ...)
{
    _cleanup_json_ json_t *result = json_object();
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    va_list args;

    va_start(args, format);
    buf_append_vformat(&text, format, args);
    va_end(args);
    json_object_set_new(result, "error", json_text((const char *)text.data, text.length));
    dispatch_reply_json(dispatch, id, result);
}

/* A call that never reached a handler: free, until a script does nothing else. */
static void refusal_count(struct dispatch *dispatch)
{
    uint64_t budget = dispatch->run->policy.max_tool_calls;

    dispatch->refused++;
    if (budget && dispatch->refused > budget * 10 + REFUSALS_FREE)
        run_fail(dispatch->run, RUN_END_REFUSALS,
                 "the script went on calling tools after %llu calls had been refused",
                 (unsigned long long)dispatch->refused - 1);
}

/* ---- the log ---- */

static void preview_make(struct call_record *record, const json_t *args)
{
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    size_t length;

    if (json_append(&text, args) < 0)
        return;
    length = text.length;
    if (length > DISPATCH_PREVIEW_BYTES)
        length = utf8_floor(text.data, DISPATCH_PREVIEW_BYTES);
    memcpy(record->preview, text.data, length);
    record->preview[length] = '\0';
    if (length < text.length)
        strcat(record->preview, "...");
}

static size_t record_add(struct dispatch *dispatch, const struct tool_spec *spec,
                         const json_t *args)
{
    if (dispatch->record_count == DISPATCH_LOG_ENTRIES_MAX)
        return SIZE_MAX;
    if (dispatch->record_count == dispatch->record_capacity) {
        size_t capacity = dispatch->record_capacity ? dispatch->record_capacity * 2 : 16;
        struct call_record *records = realloc(dispatch->records, capacity * sizeof *records);

        if (!records)
            return SIZE_MAX;
        dispatch->records = records;
        dispatch->record_capacity = capacity;
    }
    memset(&dispatch->records[dispatch->record_count], 0, sizeof *dispatch->records);
    dispatch->records[dispatch->record_count].spec = spec;
    preview_make(&dispatch->records[dispatch->record_count], args);
    return dispatch->record_count++;
}

/* ---- the end of a call ---- */

struct call *dispatch_find(struct dispatch *dispatch, uint64_t id)
{
    for (struct call *call = dispatch->calls; call; call = call->next)
        if (call->id == id)
            return call;
    return NULL;
}

void dispatch_end(struct dispatch *dispatch, struct call *call, bool ok)
{
    struct call **link = &dispatch->calls;
    uint64_t duration_ns = clock_now_ns() - call->started_ns;

    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
    dispatch->in_flight--;
    dispatch->abandoned -= call->state == CALL_ABANDONED;
    dispatch->call_bytes -= call->bytes;
    dispatch->handlers_ns += duration_ns;
    if (call->log_index != SIZE_MAX) {
        struct call_record *record = &dispatch->records[call->log_index];

        record->duration_ns = duration_ns;
        record->ok = ok;
        record->ended = true;
    }
    call->run = NULL;
    call_unref(call);
}

/* Whether a handler's JSON says "error". Long answers are not parsed for it: jansson would take
 * longer than the tool did. */
static bool answer_is_error(const char *text, size_t length)
{
    _cleanup_json_ json_t *json = NULL;
    json_t *error;

    if (length > PARSE_ANSWER_BYTES)
        return false;
    json = json_parse(text, length, JSON_DEPTH_MAX, NULL);
    error = json_object_get(json, "error");
    return error && !json_is_null(error);
}

void dispatch_answer(struct dispatch *dispatch, struct call *call, const char *text, size_t length)
{
    bool failed = answer_is_error(text, length);
    struct frame_header header = {
        .type = FRAME_REPLY,
        .id = call->id,
        .flags = (uint16_t)(FRAME_JSON_BODY | (failed ? FRAME_ERROR : 0)),
    };
    struct frame_part head = {"{}", 2}, body = {text, length};
    int r;

    dispatch->run->core->answers++;
    if (call->state != CALL_ABANDONED && dispatch->script.fd >= 0) {
        r = frame_queue_push(&dispatch->script.queue, &header, &head, &body, 1);
        if (r == -EMSGSIZE)
            dispatch_reply_error(dispatch, call->id,
                                 "the answer of %s is too large: %zu bytes of at most %u",
                                 call->spec->name, length, FRAME_BYTES_MAX);
        else if (r < 0)
            run_fail(dispatch->run, RUN_END_PROTOCOL, "no memory for an answer");
    }
    if (run_has_ended(dispatch->run))
        return;
    dispatch_end(dispatch, call, !failed);
    dispatch_start_ready(dispatch);
    dispatch_pressure(dispatch);
}

/* ---- starting ---- */

static bool may_start(const struct dispatch *dispatch, const struct call *call)
{
    /* Nobody overtakes: a call waits for the ones before it, running or not. */
    for (const struct call *other = dispatch->calls; other != call; other = other->next)
        if (!spec_may_overlap(other->spec, call->spec))
            return false;
    return true;
}

static void handler_start(struct dispatch *dispatch, struct call *call)
{
    const struct tool_entry *entry = core_find_tool(dispatch->run->core, call->spec);
    _cleanup_buf_ struct buf text = BUF_INIT(0);

    if (!entry) {
        dispatch_reply_error(dispatch, call->id, "%s is not built yet in this version",
                             call->spec->name);
        dispatch_end(dispatch, call, false);
        return;
    }
    if (json_append(&text, call->args) < 0 ||
        !(call->args_text = buf_steal_text(&text, &call->args_length))) {
        dispatch_reply_error(dispatch, call->id, "no memory for the call");
        dispatch_end(dispatch, call, false);
        return;
    }
    json_decref(call->args);
    call->args = NULL;
    atomic_fetch_add(&call->references, 1);
    mailbox_enter_handler(call->mailbox);
    entry->fn(call, entry->user);
    mailbox_leave_handler(call->mailbox);
}

static void call_start(struct dispatch *dispatch, struct call *call)
{
    call->state = CALL_RUNNING;
    if (call->spec->place == SPEC_BROKER) {
        handler_start(dispatch, call);
    } else if (dispatch_local_send(dispatch, call) < 0) {
        dispatch_reply_error(dispatch, call->id, "the tools process of this run cannot be started");
        dispatch_end(dispatch, call, false);
    }
}

void dispatch_start_ready(struct dispatch *dispatch)
{
    struct call *call = dispatch->calls;

    while (call && !run_has_ended(dispatch->run)) {
        if (call->state != CALL_WAITING || !may_start(dispatch, call)) {
            call = call->next;
            continue;
        }
        call_start(dispatch, call);
        call = dispatch->calls; /* the list may have changed; all before are started or must wait */
    }
}

/* ---- deciding ---- */

static const struct tool_spec *tool_allow(struct dispatch *dispatch, uint64_t id, const char *name)
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

static void call_accept(struct dispatch *dispatch, const struct frame *frame,
                        const struct tool_spec *spec, json_t *args, struct buf *warning)
{
    uint64_t id = frame->header.id;
    struct call *call = call_new(dispatch->run, dispatch->run->core->mailbox, id, spec);
    struct call **last = &dispatch->calls;

    if (!call) {
        dispatch_reply_error(dispatch, id, "no memory for the call");
        return;
    }
    dispatch->made++;
    dispatch->in_flight++;
    call->args = json_incref(args);
    call->bytes = (size_t)frame->header.head_bytes + frame->header.body_bytes;
    dispatch->call_bytes += call->bytes;
    call->started_ns = clock_now_ns();
    call->log_index = record_add(dispatch, spec, args);
    if (warning->length)
        call->warning = json_text((const char *)warning->data, warning->length);
    while (*last)
        last = &(*last)->next;
    *last = call;
}

/* The id and the head's shape; a violation ends the run. NULL: it has. */
static json_t *call_decode(struct dispatch *dispatch, const struct frame *frame)
{
    struct err err = ERR_INIT;
    json_t *head;

    if (frame->header.id <= dispatch->last_id) {
        run_fail(dispatch->run, RUN_END_PROTOCOL, "call id %llu does not rise",
                 (unsigned long long)frame->header.id);
        return NULL;
    }
    dispatch->last_id = frame->header.id;
    head = message_decode(frame, "args", &err);
    if (!head && (err.code == -E2BIG || err.code == -EMSGSIZE || err.code == -ENOMEM)) {
        dispatch_reply_error(dispatch, frame->header.id, "the call is too large: %s", err.text);
        refusal_count(dispatch);
        return NULL;
    }
    if (!head) {
        run_fail(dispatch->run, RUN_END_PROTOCOL, "a call that cannot be read: %s", err.text);
        return NULL;
    }
    if (json_is_string(json_object_get(head, "tool")) &&
        json_is_object(json_object_get(head, "args")))
        return head;
    run_fail(dispatch->run, RUN_END_PROTOCOL, "a call without a tool or arguments");
    json_decref(head);
    return NULL;
}

void dispatch_call(struct dispatch *dispatch, const struct frame *frame)
{
    _cleanup_json_ json_t *head = call_decode(dispatch, frame), *args = NULL;
    _cleanup_buf_ struct buf warning = BUF_INIT(4096);
    const struct tool_spec *spec;
    struct err err = ERR_INIT;
    uint64_t id = frame->header.id;

    if (!head)
        return;
    if (dispatch->in_flight - dispatch->abandoned >= DISPATCH_IN_FLIGHT_MAX) {
        run_fail(dispatch->run, RUN_END_PROTOCOL, "more than %d calls at once",
                 DISPATCH_IN_FLIGHT_MAX);
        return;
    }
    spec = tool_allow(dispatch, id, json_string_value(json_object_get(head, "tool")));
    if (spec) {
        args = spec_validate(spec, json_object_get(head, "args"), &warning, &err);
        if (!args)
            dispatch_reply_error(dispatch, id, "%s", err.text);
    }
    if (!args) {
        refusal_count(dispatch);
        return;
    }
    call_accept(dispatch, frame, spec, args, &warning);
    dispatch_start_ready(dispatch);
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
    if (call->state == CALL_WAITING) {
        dispatch_end(dispatch, call, false);
        dispatch_start_ready(dispatch);
        return;
    }
    if (call->spec->place == SPEC_LOCAL)
        dispatch_local_cancel(dispatch, call);
    dispatch->abandoned++;
    call->state = CALL_ABANDONED; /* it ends when its handler answers */
}
