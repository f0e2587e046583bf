/* SPDX-License-Identifier: MIT
 *
 * One run, from the request to the last of its processes. The host's facts about it are collected
 * here; what a child says is believed only where the table in docs/protocol.md allows it.
 *
 *   STARTING --LAYERS--> RUNNING --DONE, EXITED, a limit, a violation--> ENDED --EXITED--> gone
 */
#pragma once

#include "base/json.h"
#include "base/loop.h"
#include "run/dispatch.h"
#include "run/policy.h"
#include "text/headtail.h"
#include "wire/control.h"
#include "wire/frame.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct core;
struct err;
struct zygote;

/* Bring-up with the operator's preload list; not counted as wall time. */
#define RUN_START_MS_MAX 120000

enum run_state { RUN_STARTING, RUN_RUNNING, RUN_ENDED };

/* Why it ended. */
enum run_end {
    RUN_END_NONE,
    RUN_END_DONE,        /* DONE arrived */
    RUN_END_EXITED,      /* the script's process is gone without DONE */
    RUN_END_WALL,        /* wall-clock limit */
    RUN_END_CANCELLED,   /* ptc_run_cancel */
    RUN_END_PROTOCOL,    /* a violation on the call channel */
    RUN_END_REFUSALS,    /* went on calling long after the budget was used up */
    RUN_END_UNAVAILABLE, /* the sandbox or the process could not be had: nothing was run */
    RUN_END_LOST,        /* zygote or init died under it */
};

enum { RUN_STDOUT = 1, RUN_STDERR = 2 };

enum run_event_type {
    RUN_EVENT_OUTPUT = 1,
    RUN_EVENT_CALL_STARTED,
    RUN_EVENT_CALL_ENDED,
    RUN_EVENT_HEARTBEAT,
    RUN_EVENT_ENDED,
};

/* Borrowed for the time of the callback; which members mean something depends on the type. */
struct run_event {
    enum run_event_type type;
    int stream;
    bool ok;
    uint64_t call;
    uint64_t duration_ns;
    const char *tool;
    const char *data;
    size_t length;
};
typedef void (*run_event_fn)(void *owner, const struct run_event *event);

enum run_decision { RUN_ALLOW, RUN_DENY, RUN_ASK };
typedef enum run_decision (*run_policy_fn)(void *owner, struct call *call);

/* Borrowed for the call of run_start only. */
struct run_request {
    const char *code;
    size_t code_length;
    const char *filename; /* __file__ */
    bool from_file;
    const char *argv0;
    const char *const *argv;
    size_t argc;
    const char *script_directory; /* goes on sys.path when it lies inside a grant; NULL: none */
    const char *workspace;        /* absolute real path */
    const struct policy *policy;  /* copied */
    const struct toolset *tools;  /* copied (the specs stay the owner's) */
    const struct tool_spec *tool; /* instead of code: one call of this tool ... */
    json_t *tool_args;            /* ... with these arguments (borrowed object) */
    run_event_fn event;           /* NULL: none */
    run_policy_fn decide;         /* NULL: every call is allowed */
    void *owner;                  /* of both */
    void *user;                   /* the embedder's own */
};

struct run_stream {
    struct loop_source source;
    int number; /* RUN_STDOUT, RUN_STDERR */
    int fd;
    struct headtail kept;
};

struct run_usage {
    uint64_t wall_ns, user_us, system_us, max_rss_kib;
    uint64_t tools_ns;   /* added up over calls */
    uint64_t waiting_ns; /* frozen, while a person decided */
};

struct run {
    struct run *next; /* core's list */
    struct core *core;
    struct zygote *zygote;
    uint32_t number;
    enum run_state state;
    enum run_end end;
    bool gone;     /* the zygote has reported init's end, or there never was one */
    bool released; /* the owner has let go of it */
    bool fork_waits;
    struct policy policy;
    char *workspace;
    run_event_fn event;
    run_policy_fn decide;
    void *owner, *user;
    const struct tool_spec *tool; /* a run of one call, without a script */
    bool bare;                    /* and without any process: the tool is the host's */
    json_t *tool_args, *value;    /* and what it answered */

    pid_t init_pid;
    int init_pidfd;
    int child_fds[4]; /* the child's ends until FORK is sent: init, call, stdout, stderr */
    int init_fd;
    struct loop_source init_source;
    struct run_stream streams[2];
    struct dispatch dispatch; /* call channel and tools */

    struct loop_timer timer; /* start-up, wall clock, grace */
    struct loop_timer beat_timer;
    unsigned frozen;         /* decisions that a person has to make */
    uint64_t frozen_ns;      /* since when */
    uint64_t frozen_left_ns; /* of the wall clock at that moment; 0 = it did not run */
    uint64_t started_ns, ended_ns;
    atomic_int cancel; /* 0 no, 1 being written, 2 asked for, 3 seen */
    char cancel_reason[256];

    unsigned layers;      /* what init reported */
    int namespaces_error; /* why there are none: negative errno, 0 */
    enum run_end ending;  /* a limit fired and the grace period runs: what the end will be called */
    int exit_code;        /* -1: none */
    int signal;
    struct run_usage usage;
    char detail[512]; /* the words for PROTOCOL, UNAVAILABLE, LOST */
};

/* NULL: nothing was started (err says why). */
struct run *run_start(struct core *core, const struct run_request *request, struct err *err);

static inline bool run_has_ended(const struct run *run)
{
    return run->state == RUN_ENDED;
}

/* From any thread and from a signal handler. */
void run_cancel(struct run *run, const char *reason);

/* The owner's last word: ends it if need be; memory goes once its processes are gone. */
void run_release(struct run *run);

/* ---- run_clock.c ---- */

void run_arm_timer(struct run *run, uint64_t ms);
/* While a person decides: everything of the run stopped, the wall clock too. Nests. */
void run_freeze(struct run *run);
void run_thaw(struct run *run);
/* Heartbeats, when somebody listens. */
void run_start_beat(struct run *run);
void run_emit(struct run *run, const struct run_event *event);

/* ---- for the zygote and the core ---- */

struct run *run_find(struct core *core, uint32_t number);
int64_t run_fork_flags(const struct run *run);
void run_fork_retry(struct run *run);
void run_forked(struct run *run, pid_t pid, int namespaces_error, int pidfd);
void run_gone(struct run *run);
void run_zygote_died(struct run *run, const char *words);
void run_check_cancel(struct run *run);
void run_sweep(struct core *core); /* frees what is released and gone */

void run_timer_due(struct loop_timer *timer); /* of run->timer */
void run_init_message(struct run *run, const struct control_packet *packet);
void run_init_lost(struct run *run);

/* ---- for the dispatcher ---- */

/* The one call of a run without a script has been answered. */
void run_answered(struct run *run, json_t *value);
/* DONE came. */
void run_done(struct run *run, int exit_code, int signal);
/* Ends the run at once, with words. */
void run_fail(struct run *run, enum run_end end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Milliseconds of wall time that are left; 0 = unlimited. At least 1. */
uint64_t run_time_left_ms(const struct run *run);
