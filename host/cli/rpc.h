/* SPDX-License-Identifier: MIT
 *
 * ptc-host rpc: the service's state, and what its parts ask of each other. docs/rpc.md is the
 * protocol.
 */
#pragma once

#include "cli/rpc_in.h"
#include "cli/rpc_json.h"
#include "cli/rpc_out.h"
#include "include/ptc_host.h"

#include <stdbool.h>
#include <stdint.h>

#define RPC_PROTOCOL       1
#define RPC_OUT_BYTES_FULL ((size_t)1 << 20) /* then nothing new is begun until the client reads */
#define RPC_RUNS_MAX       256

/* Serving; letting the runs come to their ends; cancelling them. */
enum rpc_state { RPC_SERVING, RPC_FINISHING, RPC_ENDING };

/* Which events a client wants of a run. */
enum {
    RPC_WANTS_OUTPUT = 1,
    RPC_WANTS_CALL_STARTED = 2,
    RPC_WANTS_CALL_ENDED = 4,
    RPC_WANTS_HEARTBEAT = 8,
    RPC_WANTS_ALL = 15
};

struct rpc;

/* A call of a run, from the question about it or its start until it is over. */
struct rpc_call {
    struct rpc_call *next;
    uint64_t token;  /* its number in the protocol: never used twice */
    uint64_t number; /* its number in its run */
    ptc_call *asked; /* the policy waits for the client's word */
    ptc_call *own;   /* the client's tool has to answer it */
};

/* A run, or a tool_call, which is a run without a script. */
struct rpc_run {
    struct rpc_run *next;
    struct rpc *rpc;
    char *id; /* the request's, as JSON */
    ptc_run_handle *handle;
    unsigned wants; /* RPC_WANTS_* */
    struct rpc_call *calls;
    struct rpc_carry carry[2]; /* of stdout and stderr */
};

struct rpc {
    ptc_host *host;
    const ptc_settings *settings; /* defaults of every run */
    struct rpc_in in;
    struct rpc_out out;
    int in_fd, signal_fd;
    enum rpc_state state;
    bool hung_up;         /* it has closed its end, though there may be lines to read */
    bool client_gone;     /* nothing more can come from it */
    struct rpc_run *runs; /* those without an answer yet */
    size_t run_count;
    uint64_t last_token;
    bool shutdown_asked;
    char *shutdown_id; /* of the request that is answered last; NULL: none */
};

/* A request that is being served. Everything is borrowed. */
struct rpc_request {
    struct rpc *rpc;
    const char *id; /* as JSON; NULL: none was given, then there is no answer but errors */
    const char *method;
    json_t *object;
};

/* ---- lines (rpc_say.c) ---- */

void rpc_say_hello(struct rpc *rpc);
/* id NULL: the error belongs to no request. */
void rpc_say_error(struct rpc *rpc, const char *id, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void rpc_say_ptc_error(struct rpc *rpc, const char *id, const struct ptc_error *error);
/* result is JSON. Nothing is said when id is NULL. */
void rpc_say_result(struct rpc *rpc, const char *id, const char *result, size_t length);
/* {"type": TYPE, "run": ID, and the line stays open. */
void rpc_say_begin(struct rpc *rpc, const char *type, const struct rpc_run *run);
void rpc_say_member(struct rpc *rpc, const char *name); /* , "name": */
void rpc_say_end(struct rpc *rpc);

/* ---- requests (rpc_request.c, rpc_fields.c) ---- */

void rpc_request_serve(struct rpc *rpc, const char *line, size_t length);

enum rpc_type {
    RPC_STRING, /* without a NUL */
    RPC_TEXT,   /* any string */
    RPC_INTEGER,
    RPC_BOOLEAN,
    RPC_OBJECT,
    RPC_STRINGS, /* an array of them */
    RPC_CHOICE,  /* a boolean or an array of strings */
    RPC_ID,      /* a string or an integer */
    RPC_ANY
};

struct rpc_field {
    const char *name; /* NULL ends the table */
    enum rpc_type type;
    bool required;
};

/* Whether the request has what it must have, and nothing else; says what is wrong. */
bool rpc_fields_check(const struct rpc_request *request, const struct rpc_field *fields);

/* "; did you mean 'NAME'?", or nothing when no name is near. names end with NULL. Returns buffer. */
const char *rpc_did_you_mean(const char *wanted, const char *const *names, char *buffer,
                             size_t size);

const char *rpc_string(const struct rpc_request *request, const char *name); /* NULL: not given */
/* The settings of a request with "options". NULL: said what is wrong. Free with ptc_settings_free. */
ptc_settings *rpc_settings(const struct rpc_request *request);

/* ---- methods ---- */

void rpc_do_run(const struct rpc_request *request);       /* rpc_run.c */
void rpc_do_tool_call(const struct rpc_request *request); /* rpc_run.c */
void rpc_do_cancel(const struct rpc_request *request);    /* rpc_run.c */
void rpc_do_reply(const struct rpc_request *request);     /* rpc_calls.c */
void rpc_do_decide(const struct rpc_request *request);    /* rpc_calls.c */
void rpc_do_register_tool(const struct rpc_request *request);
void rpc_do_schema(const struct rpc_request *request);
void rpc_do_stubs(const struct rpc_request *request);
void rpc_do_stats(const struct rpc_request *request);
void rpc_do_features(const struct rpc_request *request);
void rpc_do_ping(const struct rpc_request *request);
void rpc_do_shutdown(const struct rpc_request *request);

/* ---- runs (rpc_run.c, rpc_event.c) ---- */

struct rpc_run *rpc_run_find(struct rpc *rpc, const char *id);
void rpc_run_event(void *run, const struct ptc_event *event);
void rpc_runs_harvest(struct rpc *rpc); /* answers those that have ended; not inside a callback */
void rpc_runs_cancel(struct rpc *rpc);
void rpc_runs_free(struct rpc *rpc);

/* ---- calls (rpc_calls.c) ---- */

int rpc_call_policy(ptc_call *call, void *run);
void rpc_call_own(ptc_call *call, void *rpc);
struct rpc_call *rpc_call_note(struct rpc_run *run, uint64_t number); /* made when it is new */
void rpc_call_over(struct rpc_run *run, uint64_t number);
void rpc_calls_free(struct rpc_run *run);
/* The client cannot answer any more: its tools fail, its questions are denied. */
void rpc_calls_refuse(struct rpc_run *run);

/* ---- the loop (rpc_loop.c) ---- */

/* Until the end. Returns the exit code. */
int rpc_loop(struct rpc *rpc);
