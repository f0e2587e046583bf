/* SPDX-License-Identifier: MIT
 *
 * The host's end of one run's tool calls: the call channel to the script, the tools channel, the
 * decision about each call (allow-list, budget, arguments, who may overlap), and the log.
 */
#pragma once

#include "base/loop.h"
#include "run/call.h"
#include "run/channel.h"
#include "spec/toolset.h"
#include "wire/frame.h"

#include <stdbool.h>

struct err;
struct parcel;
struct run;

#define DISPATCH_IN_FLIGHT_MAX   64
#define DISPATCH_ABANDONED_MAX   1024
#define DISPATCH_INBOUND_BYTES   (128u * 1024u * 1024u)
#define DISPATCH_OUTBOUND_BYTES  (128u * 1024u * 1024u)
#define DISPATCH_LOG_ENTRIES_MAX 1000
#define DISPATCH_PREVIEW_BYTES   80

struct call_record {
    const struct tool_spec *spec;
    uint64_t id;
    char preview[DISPATCH_PREVIEW_BYTES + 8]; /* of the arguments; UTF-8 */
    uint64_t duration_ns;
    bool ended, ok;
};

struct dispatch {
    struct run *run;
    struct toolset tools; /* the allow-list */
    struct channel script, local;
    uint64_t last_id;
    struct call *calls;     /* in the order of acceptance */
    unsigned in_flight;     /* calls in the list */
    unsigned abandoned;     /* of them: the script waits no more, their handlers still run */
    size_t call_bytes;      /* of arguments, of all calls in the list */
    uint64_t made, refused; /* accepted calls; calls that never reached a handler */
    uint64_t cancelled;     /* CANCEL frames */
    struct call_record *records;
    size_t record_count, record_capacity;
    uint64_t handlers_ns;
    bool cut_off;                  /* the script's channel ended in the middle of a frame */
    struct parcel *parcel;         /* a large call that is being read; frames behind it wait */
    struct loop_work work;         /* the rest of what did not fit into a turn */
    unsigned draining;             /* frames that may still be served, the script being gone */
    struct loop_timer ask_timer;   /* nobody answers the person's question */
    struct loop_timer stall_timer; /* the script does not read what it asked for */
};

int dispatch_init(struct dispatch *dispatch, struct run *run, const struct toolset *tools);
void dispatch_deinit(struct dispatch *dispatch);

/* Starts to serve fd, which becomes the dispatcher's, and queues RUN in front. */
int dispatch_open(struct dispatch *dispatch, int fd);
int dispatch_send_run(struct dispatch *dispatch, const char *head, size_t head_length,
                      const char *code, size_t code_length);

/* The run has ended: channels closed, calls let go of. */
void dispatch_close(struct dispatch *dispatch);

/* Frames that wait in the socket when the script's process is already gone: a DONE may be there. */
void dispatch_drain(struct dispatch *dispatch);

/* init reports the end of the tools process. */
void dispatch_tools_exited(struct dispatch *dispatch, int wait_status);

/* The one call of a run without a script. */
void dispatch_direct(struct dispatch *dispatch, const struct tool_spec *spec, json_t *args);

/* A person (or a program in their place) has answered the policy's question. */
void dispatch_decided(struct dispatch *dispatch, struct call *call, bool allow, const char *reason);

/* An answer of a handler in the host; may take mail's text over. Never called after dispatch_close. */
void dispatch_answer(struct dispatch *dispatch, struct call *call, struct mail *mail);

/* ---- between dispatch.c, dispatch_call.c and dispatch_local.c ---- */

/* CALL and CANCEL of the script. */
void dispatch_call(struct dispatch *dispatch, struct frame *frame);
/* A call that cannot be read: err says whether that is a violation or merely too much. */
void dispatch_call_unreadable(struct dispatch *dispatch, uint64_t id, const struct err *err);
/* The tool that is called; NULL: it may not be, which was told and counted. */
const struct tool_spec *dispatch_tool_allow(struct dispatch *dispatch, uint64_t id,
                                            const char *name);
/* A call with checked arguments that nobody knows yet; NULL: refused, which was told and counted. */
struct call *dispatch_check(struct dispatch *dispatch, const struct frame_header *header,
                            const struct tool_spec *spec, const json_t *given);
/* Takes the call over: in the list, judged, started when it can be. */
void dispatch_accept(struct dispatch *dispatch, struct call *call);

/* Large calls (dispatch_large.c). */
bool dispatch_is_large(const struct frame_header *header);
void dispatch_large_begin(struct dispatch *dispatch, struct frame *frame);
void dispatch_large_begin_args(struct dispatch *dispatch, const struct frame_header *header,
                               const struct tool_spec *spec, json_t *args);
void dispatch_large_step(struct dispatch *dispatch);
void dispatch_large_drop(struct dispatch *dispatch);
void dispatch_cancel(struct dispatch *dispatch, uint64_t id);
struct call *dispatch_find(struct dispatch *dispatch, uint64_t id);

/* Starts whatever may run now, in the order of acceptance. */
void dispatch_start_ready(struct dispatch *dispatch);

/* How long it has taken until now. Returns its record, or NULL: the log is full. */
struct call_record *dispatch_log_duration(struct dispatch *dispatch, const struct call *call);
/* The call is over: logged, unlinked, let go of. */
void dispatch_end(struct dispatch *dispatch, struct call *call, bool ok);

/* The policy's word on a call that was accepted: lets it wait for its turn, refuses it, or freezes the
 * run until somebody decides. */
void dispatch_judge(struct dispatch *dispatch, struct call *call);
void dispatch_ask_due(struct loop_timer *timer);
/* Counts a call that never reached a handler. */
void dispatch_count_refusal(struct dispatch *dispatch);
/* An accepted call: in the list, counted; then allowed: recorded, waits for its turn. */
void dispatch_add(struct dispatch *dispatch, struct call *call);
void dispatch_allow(struct dispatch *dispatch, struct call *call);
/* The question about it is of no interest any more. */
void dispatch_forget_ask(struct dispatch *dispatch, struct call *call);
void dispatch_emit_ended(struct dispatch *dispatch, const struct call *call, bool ok);

/* Queues {"error": text} as the answer to id. */
void dispatch_reply_error(struct dispatch *dispatch, uint64_t id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Ends the call and answers it so: in this order, for the answer of a run that is one call ends it. */
void dispatch_fail(struct dispatch *dispatch, struct call *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void dispatch_reply_json(struct dispatch *dispatch, uint64_t id, json_t *result);

/* Answers of the tools process that are whole in the buffer. */
void dispatch_local_serve(struct dispatch *dispatch);
/* Hands a call to the tools process, starting it if need be. 0 or negative errno. */
int dispatch_local_send(struct dispatch *dispatch, struct call *call);
void dispatch_local_cancel(struct dispatch *dispatch, const struct call *call);

/* Called after anything was queued or accepted: flushes, and makes writers wait for a slow reader.
 */
void dispatch_pressure(struct dispatch *dispatch);
