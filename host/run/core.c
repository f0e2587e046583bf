/* SPDX-License-Identifier: MIT
 *
 * The host's loop, and its end.
 */
#include "run/core.h"

#include "base/clock.h"
#include "base/fd.h"
#include "run/call.h"
#include "run/run.h"
#include "run/zygote.h"
#include "wire/layers.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static void mail_serve_one(struct core *core, struct mail *mail)
{
    struct call *call = mail->call;

    if (!call->run)
        ; /* its run has ended meanwhile */
    else if (mail->kind == MAIL_ANSWER)
        dispatch_answer(&call->run->dispatch, call, mail);
    else
        dispatch_decided(&call->run->dispatch, call, mail->kind == MAIL_ALLOW, mail->text);
    loop_free_later(&core->loop, mail->text, mail->length);
    call_let_go(call, &core->loop);
    free(mail);
}

/* What is in the mailbox goes behind what was taken before. */
static void mail_take(struct core *core)
{
    struct mail **last = &core->mail;

    while (*last)
        last = &(*last)->next;
    *last = mailbox_take(core->mailbox);
}

static void mail_due(struct loop_work *work)
{
    struct core *core = work->user;

    mail_take(core);
    while (core->mail) {
        struct mail *mail = core->mail;

        core->mail = mail->next;
        mail_serve_one(core, mail);
        if (loop_out_of_time(&core->loop))
            break;
    }
    if (core->mail)
        loop_work_add(&core->loop, work);
    else
        core_mail_look(core);
}

void core_mail_look(struct core *core)
{
    if (atomic_load(&core->mailbox->waiting))
        loop_work_add(&core->loop, &core->mail_work);
}

static void mailbox_ready(struct loop_source *source, uint32_t events)
{
    struct core *core = source->user;
    bool all = atomic_exchange(&core->mailbox->cancel_all, false);

    (void)events;
    mailbox_quiet(core->mailbox);
    core_mail_look(core);
    for (struct run *run = core->runs; run; run = run->next) {
        if (all)
            run_cancel(run, NULL);
        run_check_cancel(run);
    }
}

int core_init(struct core *core, const char *child_path, const struct log *log)
{
    int r;

    memset(core, 0, sizeof *core);
    core->owner = getpid();
    if (log)
        core->log = *log;
    r = loop_init(&core->loop);
    if (r < 0)
        return r;
    core->child_path = child_path ? strdup(child_path) : NULL;
    errno = ENOMEM;
    core->mailbox = mailbox_new(); /* errno: of its eventfd */
    if ((child_path && !core->child_path) || !core->mailbox) {
        r = -errno;
        core_deinit(core, 0);
        return r;
    }
    core->mail_work = (struct loop_work){.fn = mail_due, .user = core};
    core->mailbox_source = (struct loop_source){
        .fd = core->mailbox->event_fd, .events = EPOLLIN, .fn = mailbox_ready, .user = core};
    r = loop_add(&core->loop, &core->mailbox_source);
    if (r < 0)
        core_deinit(core, 0);
    return r;
}

/* Whether the run's init is known, so that its death can be watched, or there is none any more. */
static bool runs_are_known(const struct core *core)
{
    for (const struct run *run = core->runs; run; run = run->next)
        if (!run->gone && run->init_pidfd < 0)
            return false;
    return true;
}

static bool runs_have_plain(const struct core *core)
{
    for (const struct run *run = core->runs; run; run = run->next)
        if (!run->gone && !(run->layers & LAYER_PID_NS))
            return true;
    return false;
}

static int ms_left(uint64_t deadline_ns)
{
    uint64_t now = clock_now_ns();

    return now >= deadline_ns ? 0 : (int)((deadline_ns - now) / NS_PER_MS) + 1;
}

/* Kills everything and watches it go. The zygotes' reports are not waited for: an init's pidfd says
 * the same without waking anybody. */
static void runs_end(struct core *core, unsigned timeout_ms)
{
    uint64_t deadline_ns = clock_now_ns() + timeout_ms * NS_PER_MS;

    for (struct run *run = core->runs; run; run = run->next)
        run_release(run);
    while (!runs_are_known(core) && ms_left(deadline_ns) > 0 &&
           core_dispatch(core, ms_left(deadline_ns), 0) >= 0)
        ;
    if (!runs_have_plain(core)) /* else their zygotes have to be there when an init dies */
        for (struct zygote *zygote = core->zygotes; zygote; zygote = zygote->next)
            zygote_kill(zygote);
    for (struct run *run = core->runs; run; run = run->next) {
        struct pollfd fd = {.fd = run->init_pidfd, .events = POLLIN};

        if (!run->gone && fd.fd >= 0 && poll(&fd, 1, ms_left(deadline_ns)) == 0) {
            log_line(&core->log, LOG_ERROR, "run %u is not gone after %u ms", run->number,
                     timeout_ms);
            fd_pidfd_signal(fd.fd, SIGKILL);
        }
        run->gone = true;
    }
    run_sweep(core);
}

static void tools_free(struct core *core)
{
    for (size_t i = 0; i < core->tools.count; i++) {
        struct tool_entry *entry = &core->tool_entries[i];

        if (entry->destroy)
            entry->destroy(entry->user);
        spec_free(entry->owned_spec);
    }
    free(core->tool_entries);
    toolset_deinit(&core->tools);
}

static void mail_drop(struct core *core)
{
    while (core->mail) {
        struct mail *mail = core->mail;

        core->mail = mail->next;
        mail_free(mail);
    }
    loop_work_remove(&core->loop, &core->mail_work);
}

bool core_is_inherited(const struct core *core)
{
    return core->owner != getpid();
}

/* In a forked child of the embedder: the runs and their processes are the parent's. */
static void core_disown(struct core *core)
{
    /* The epoll instance is one, shared by both processes: removing a source would remove the
     * parent's. Closing only closes ours. */
    core->loop.epoll_fd = fd_close(core->loop.epoll_fd);
    for (struct run *run = core->runs; run; run = run->next) {
        run->event = NULL;
        run->state = RUN_ENDED;
        run->released = run->gone = true;
    }
    run_sweep(core);
}

void core_deinit(struct core *core, unsigned timeout_ms)
{
    if (core_is_inherited(core))
        core_disown(core);
    else
        runs_end(core, timeout_ms);
    while (core->zygotes)
        zygote_free(core->zygotes);
    mail_drop(core);
    if (core->mailbox) {
        loop_remove(&core->loop, &core->mailbox_source);
        mailbox_close(core->mailbox);
        core->mailbox = mailbox_unref(core->mailbox);
    }
    tools_free(core);
    loop_deinit(&core->loop);
    free(core->child_path);
}

int core_add_tool(struct core *core, struct tool_spec *spec, tool_handler_fn fn, void *user,
                  void (*destroy)(void *user))
{
    const struct tool_spec *builtin = toolset_builtin_find(spec->name);
    struct tool_entry *entries;
    int r;

    if (builtin && builtin != spec) /* else no run could have both */
        return -EEXIST;
    entries = realloc(core->tool_entries, (core->tools.count + 1) * sizeof *entries);
    if (!entries)
        return -ENOMEM;
    core->tool_entries = entries;
    r = toolset_add(&core->tools, spec);
    if (r < 0)
        return r;
    entries[core->tools.count - 1] = (struct tool_entry){fn, user, destroy, spec};
    return 0;
}

const struct tool_entry *core_find_tool(const struct core *core, const struct tool_spec *spec)
{
    for (size_t i = 0; i < core->tools.count; i++)
        if (core->tools.specs[i] == spec)
            return &core->tool_entries[i];
    return NULL;
}

int core_dispatch(struct core *core, int timeout_ms, uint64_t budget_ns)
{
    int r;

    if (core->dispatching)
        return -EBUSY; /* a callback must not run the loop that it was called from */
    core->dispatching = true;
    r = loop_dispatch(&core->loop, timeout_ms, budget_ns);
    run_sweep(core);
    zygote_sweep(core);
    core->dispatching = false;
    return r;
}

#define SPIN_NS         (50 * 1000)
#define SPIN_MISSES_MAX 3   /* then sleep at once ... */
#define SPIN_PAUSE      100 /* ... for so many turns */

/* Yields between looks: with one processor, or both ends on the same, the script has to run. */
static int core_spin(struct core *core)
{
    uint64_t deadline_ns = clock_now_ns() + SPIN_NS;
    int r;

    do {
        r = core_dispatch(core, 0, 0);
        if (r != 0) {
            core->spin_misses = 0;
            return r;
        }
        sched_yield();
    } while (clock_now_ns() < deadline_ns);
    core->spin_misses++;
    return 0;
}

int core_wait(struct core *core)
{
    uint64_t answers = core->answers;
    int r = core_dispatch(core, -1, 0);

    while (r > 0 && core->answers != answers && core->spin_misses < SPIN_MISSES_MAX) {
        answers = core->answers;
        r = core_spin(core);
    }
    if (core->spin_misses >= SPIN_MISSES_MAX && ++core->spin_misses > SPIN_MISSES_MAX + SPIN_PAUSE)
        core->spin_misses = 0;
    return r < 0 ? r : 0;
}
