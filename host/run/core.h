/* SPDX-License-Identifier: MIT
 *
 * What one host holds: the loop, its zygotes, its runs, the embedder's tools. Everything hangs on
 * it; two of them in one process know nothing of each other.
 */
#pragma once

#include "base/log.h"
#include "base/loop.h"
#include "run/mailbox.h"
#include "spec/toolset.h"

#include <stdatomic.h>

struct run;
struct zygote;
struct call;
struct err;

/* Called on the dispatching thread. Answers with call_answer, now or later. */
typedef void (*tool_handler_fn)(struct call *call, void *user);

struct tool_entry { /* a tool of the host: its spec is in core.tools at the same index */
    tool_handler_fn fn;
    void *user;
    void (*destroy)(void *user);
    struct tool_spec *owned_spec;
};

struct core_stats {
    uint64_t runs_started, runs_ended, zygote_starts, calls_made, calls_refused, protocol_errors;
};

struct core {
    struct loop loop;
    struct core_stats stats;
    pid_t owner; /* in a forked child of the embedder a host is good for nothing but freeing */
    bool dispatching;
    struct log log;
    char *child_path;       /* NULL until a run needs it; set by the owner before run_start */
    struct zygote *zygotes; /* list */
    struct run *runs;       /* list: every run whose processes may still be alive */
    uint32_t next_run;
    size_t run_count;        /* runs that are not freed yet */
    struct mailbox *mailbox; /* answers from other threads, cancellations: wakes the loop */
    struct loop_source mailbox_source;
    struct mail *mail; /* taken out of it, still to be served, in order */
    struct loop_work mail_work;
    struct toolset tools; /* the embedder's */
    struct tool_entry *tool_entries;
    uint64_t answers;     /* of handlers in the host, ever: shows that a script is calling */
    unsigned spin_misses; /* in a row: looking again did not pay */
};

/* child_path is copied; may be NULL. 0 or negative errno. */
int core_init(struct core *core, const char *child_path, const struct log *log);

/* Kills all runs and waits up to timeout_ms until the zygotes have reported them gone. */
void core_deinit(struct core *core, unsigned timeout_ms);

/* In a forked child of the embedder. */
bool core_is_inherited(const struct core *core);

/* Takes over spec and, on success, user (destroy is called by core_deinit). 0, -EEXIST, -ENOMEM. */
int core_add_tool(struct core *core, struct tool_spec *spec, tool_handler_fn fn, void *user,
                  void (*destroy)(void *user));
const struct tool_entry *core_find_tool(const struct core *core, const struct tool_spec *spec);

/* For a thread that does nothing else: as core_dispatch without a time limit, but while a script
 * calls one tool after the other it looks again for some microseconds before it sleeps. Waking a
 * sleeping thread takes longer than most calls. */
int core_wait(struct core *core);

/* Handlers that answer at once do not wake the loop: it looks by itself. */
void core_mail_look(struct core *core);

/* One turn of the loop. Returns callbacks run or negative errno. */
int core_dispatch(struct core *core, int timeout_ms, uint64_t budget_ns);
