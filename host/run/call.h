/* SPDX-License-Identifier: MIT
 *
 * One tool call that the host has accepted: from its frame to its answer. Calls to tools of the
 * host are handed to a handler and may be answered later, from any thread; the run may be gone by
 * then.
 */
#pragma once

#include "base/json.h"
#include "base/loop.h"
#include "run/mailbox.h"
#include "spec/spec.h"

struct parcel;
struct run;

enum call_state { CALL_ASKED, CALL_WAITING, CALL_RUNNING, CALL_ABANDONED };

struct call {
    struct call *next;            /* the dispatcher's list; only the dispatching thread looks */
    uint64_t id;                  /* the script's */
    const struct tool_spec *spec; /* not to be looked at once the host may be gone ... */
    const char *tool;             /* ... when a late handler still may ask for its name */
    enum call_state state;
    json_t *args;          /* validated, with every default; of a large call with stand-ins */
    struct parcel *parcel; /* a large call for the tools process: the bodies of the stand-ins */
    bool text_complete;    /* args_text is the arguments, args has stand-ins */
    size_t bytes;          /* of its frame: what it may cost in memory */
    uint64_t started_ns;   /* when it was accepted */
    size_t log_index;
    json_t *warning;          /* string to add as _warning, or NULL */
    bool frozen;              /* CALL_ASKED: its run stands still for it */
    uint64_t ask_deadline_ns; /* CALL_ASKED: when nobody will have answered */
    void *run_user;

    /* For handlers in the host: */
    struct mailbox *mailbox;
    atomic_int references; /* the dispatcher's and the handler's */
    atomic_bool answered;
    atomic_bool unwanted; /* its run has ended: says so to a handler that answers late */
    atomic_int asked;     /* 0: nobody was asked, 1: asked, 2: decided, 3: the time was over */
    struct run *run; /* NULL once the run no longer wants the answer; dispatching thread only */
    char *args_text; /* JSON, made for the handler */
    size_t args_length;
};

struct call *call_new(struct run *run, struct mailbox *mailbox, uint64_t id,
                      const struct tool_spec *spec);
struct call *call_unref(struct call *call); /* returns NULL */
/* The same on the dispatching thread, which must not stand still for what is large. */
void call_let_go(struct call *call, struct loop *loop);

/* JSON of the arguments, made on the dispatching thread before anybody else sees the call. 0 or
 * -ENOMEM. */
int call_make_args_text(struct call *call);

/* From any thread, once, for a call that is or is about to be CALL_ASKED; reason may be NULL. 0,
 * -EALREADY, -EPIPE, -ENOMEM. Drops the decider's reference. */
int call_decide(struct call *call, bool allow, const char *reason);

/* From any thread, once; text is copied. 0, -EALREADY, -EPIPE (nobody waits any more), -ENOMEM.
 * Drops the handler's reference. */
int call_answer(struct call *call, const char *text, size_t length);
