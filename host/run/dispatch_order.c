/* SPDX-License-Identifier: MIT
 *
 * The life of an accepted call: its place among the others, its handler, its answer, its record.
 */
#include "run/dispatch.h"

#include "base/buf.h"
#include "base/clock.h"
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

#define PARSE_ANSWER_BYTES (64 * 1024)
#define EVENT_ARGS_BYTES   4096

/* ---- answers ---- */

void dispatch_reply_json(struct dispatch *dispatch, uint64_t id, json_t *result)
{
    int r = 0;

    if (!result)
        r = -ENOMEM;
    else if (dispatch->run->tool)
        run_answered(dispatch->run, result);
    else if (dispatch->script.fd >= 0)
        r = message_reply_queue(&dispatch->script.queue, id, result);
    if (r < 0)
        run_fail(dispatch->run, RUN_END_PROTOCOL, "an answer cannot be sent: %s", strerror(-r));
}

static json_t *error_vformat(const char *format, va_list args)
{
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    json_t *result = json_object();

    if (buf_append_vformat(&text, format, args) < 0)
        text.length = 0;
    json_put(&result, "error", json_text((const char *)text.data, text.length));
    return result;
}

void dispatch_reply_error(struct dispatch *dispatch, uint64_t id, const char *format, ...)
{
    _cleanup_json_ json_t *result = NULL;
    va_list args;

    va_start(args, format);
    result = error_vformat(format, args);
    va_end(args);
    dispatch_reply_json(dispatch, id, result);
}

/* ---- the log ---- */

/* The arguments' JSON, at least the first EVENT_ARGS_BYTES of it: a stand-in begins as the text does
 * for which it stands. made holds what had to be made. */
static struct frame_part args_begin(const struct call *call, struct buf *made)
{
    if (call->args_text)
        return (struct frame_part){call->args_text, call->args_length};
    if (json_append(made, call->args) < 0)
        buf_clear(made);
    return (struct frame_part){made->data, made->length};
}

static void preview_make(struct call_record *record, const struct call *call)
{
    _cleanup_buf_ struct buf made = BUF_INIT(0);
    struct frame_part text = args_begin(call, &made);
    size_t length = text.length;

    if (length == 0)
        return;
    if (length > DISPATCH_PREVIEW_BYTES)
        length = utf8_floor(text.data, DISPATCH_PREVIEW_BYTES);
    memcpy(record->preview, text.data, length);
    record->preview[length] = '\0';
    if (length < text.length)
        strcat(record->preview, "...");
}

static size_t record_add(struct dispatch *dispatch, const struct call *call)
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
    dispatch->records[dispatch->record_count].spec = call->spec;
    dispatch->records[dispatch->record_count].id = call->id;
    preview_make(&dispatch->records[dispatch->record_count], call);
    return dispatch->record_count++;
}

/* ---- events ---- */

static void emit_started(struct dispatch *dispatch, const struct call *call)
{
    _cleanup_buf_ struct buf made = BUF_INIT(0);
    struct frame_part text;
    struct run_event event = {
        .type = RUN_EVENT_CALL_STARTED, .call = call->id, .tool = call->spec->name};

    if (!dispatch->run->event)
        return;
    text = args_begin(call, &made); /* no memory: nothing; its end will be told, so its start is */
    event.data = text.data;
    event.length =
        text.length <= EVENT_ARGS_BYTES ? text.length : utf8_floor(text.data, EVENT_ARGS_BYTES);
    run_emit(dispatch->run, &event);
}

void dispatch_emit_ended(struct dispatch *dispatch, const struct call *call, bool ok)
{
    struct run_event event = {.type = RUN_EVENT_CALL_ENDED,
                              .call = call->id,
                              .tool = call->spec->name,
                              .ok = ok,
                              .duration_ns = clock_now_ns() - call->started_ns};

    run_emit(dispatch->run, &event);
}

/* ---- the end of a call ---- */

struct call *dispatch_find(struct dispatch *dispatch, uint64_t id)
{
    for (struct call *call = dispatch->calls; call; call = call->next)
        if (call->id == id)
            return call;
    return NULL;
}

struct call_record *dispatch_log_duration(struct dispatch *dispatch, const struct call *call)
{
    uint64_t duration_ns = clock_now_ns() - call->started_ns;
    struct call_record *record =
        call->log_index == SIZE_MAX ? NULL : &dispatch->records[call->log_index];

    dispatch->handlers_ns += duration_ns;
    if (record)
        record->duration_ns = duration_ns;
    return record;
}

void dispatch_end(struct dispatch *dispatch, struct call *call, bool ok)
{
    struct call_record *record = dispatch_log_duration(dispatch, call);
    struct call **link = &dispatch->calls;

    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
    dispatch->in_flight--;
    dispatch->abandoned -= call->state == CALL_ABANDONED;
    dispatch->call_bytes -= call->bytes;
    if (record) {
        record->ok = ok;
        record->ended = true;
    }
    if (call->state == CALL_RUNNING || call->state == CALL_ABANDONED)
        dispatch_emit_ended(dispatch, call, ok);
    call->run = NULL;
    call_let_go(call, &dispatch->run->core->loop);
}

void dispatch_fail(struct dispatch *dispatch, struct call *call, const char *format, ...)
{
    _cleanup_json_ json_t *result = NULL;
    uint64_t id = call->id;
    va_list args;

    va_start(args, format);
    result = error_vformat(format, args);
    va_end(args);
    dispatch_end(dispatch, call, false);
    dispatch_reply_json(dispatch, id, result);
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

/* The answer to the one call of a run without a script; text that is no JSON becomes a string. */
static void direct_answer(struct dispatch *dispatch, struct call *call, const char *text,
                          size_t length)
{
    _cleanup_json_ json_t *value = json_parse(text, length, JSON_DEPTH_MAX, NULL);
    json_t *error;

    if (!value) /* once more: jansson takes some failed allocations for bad JSON */
        value = json_parse(text, length, JSON_DEPTH_MAX, NULL);
    if (!value)
        value = json_text(text, length);
    error = json_object_get(value, "error");
    dispatch_end(dispatch, call, value && (!error || json_is_null(error)));
    dispatch_reply_json(dispatch, 0, value);
}

/* A large text leaves from where it is. */
static int answer_queue(struct dispatch *dispatch, const struct call *call, struct mail *mail,
                        bool failed)
{
    struct frame_header header = {
        .type = FRAME_REPLY,
        .id = call->id,
        .flags = (uint16_t)(FRAME_JSON_BODY | (failed ? FRAME_ERROR : 0)),
    };
    struct frame_part head = {"{}", 2}, body = {mail->text, mail->length};
    struct frame_queue *queue = &dispatch->script.queue;
    int r;

    if (mail->length <= PARSE_ANSWER_BYTES)
        return frame_queue_push(queue, &header, &head, &body, 1);
    r = frame_queue_push_owned(queue, &header, &head, &body, 1,
                               (struct frame_memory){mail->text, mail->length});
    if (r == 0)
        mail->text = NULL;
    return r;
}

void dispatch_answer(struct dispatch *dispatch, struct call *call, struct mail *mail)
{
    bool failed = answer_is_error(mail->text, mail->length);
    int r;

    dispatch->run->core->answers++;
    if (dispatch->run->tool) {
        direct_answer(dispatch, call, mail->text, mail->length);
        return;
    }
    if (call->state != CALL_ABANDONED && dispatch->script.fd >= 0) {
        r = answer_queue(dispatch, call, mail, failed);
        if (r == -EMSGSIZE)
            dispatch_reply_error(dispatch, call->id,
                                 "the answer of %s is too large: %zu bytes of at most %u",
                                 call->spec->name, mail->length, FRAME_BYTES_MAX);
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
    struct core *core = dispatch->run->core;
    struct mailbox *mailbox = core->mailbox;
    const struct tool_entry *entry = core_find_tool(core, call->spec);

    if (!entry) {
        dispatch_fail(dispatch, call, "%s is not built yet in this version", call->spec->name);
        return;
    }
    if (call_make_args_text(call) < 0) {
        dispatch_fail(dispatch, call, "no memory for the call");
        return;
    }
    json_decref(call->args); /* the handler has the text; they may be large */
    call->args = NULL;
    atomic_fetch_add(&call->references, 1);
    mailbox_enter_handler(mailbox);
    entry->fn(call, entry->user);
    mailbox_leave_handler(mailbox); /* the call may be gone: answered, after its run was freed */
    core_mail_look(core);
}

static void call_start(struct dispatch *dispatch, struct call *call)
{
    int r;

    call->state = CALL_RUNNING;
    emit_started(dispatch, call);
    if (run_has_ended(dispatch->run)) /* the callback has freed it */
        return;
    if (call->spec->place == SPEC_BROKER) {
        handler_start(dispatch, call);
        return;
    }
    r = dispatch_local_send(dispatch, call);
    if (r < 0)
        dispatch_fail(dispatch, call,
                      r == -ENOMEM ? "no memory for the call"
                      : r == -EMSGSIZE
                          ? "the call is too large: its arguments do not fit into a frame"
                          : "the tools process of this run cannot be started");
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

void dispatch_add(struct dispatch *dispatch, struct call *call)
{
    struct call **last = &dispatch->calls;

    dispatch->made++;
    dispatch->in_flight++;
    dispatch->call_bytes += call->bytes;
    dispatch->run->core->stats.calls_made++;
    call->log_index = SIZE_MAX; /* recorded when it is allowed */
    while (*last)
        last = &(*last)->next;
    *last = call;
}

void dispatch_allow(struct dispatch *dispatch, struct call *call)
{
    call->log_index = record_add(dispatch, call);
    call->state = CALL_WAITING;
}
