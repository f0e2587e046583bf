/* SPDX-License-Identifier: MIT
 *
 * The service's loop over the client's two pipes, the host and the signals. While the client does
 * not read, nothing new is begun: neither a request nor a step of a run.
 */
#include "cli/output.h"
#include "cli/rpc.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define LINES_PER_TURN 64   /* then the runs have their turn */
#define BUDGET_US      2000 /* of the runs, then the client has its turn */
#define FLUSH_MS_MAX   10000

enum { FD_IN, FD_OUT, FD_HOST, FD_SIGNAL, FD_COUNT };

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* When it ends, what the runs still have to say is bounded: their results. */
static bool is_full(const struct rpc *rpc)
{
    return rpc->state != RPC_ENDING && rpc_out_pending(&rpc->out) > RPC_OUT_BYTES_FULL;
}

/* Whether the client has said all that it will say, and only has to read now. A shutdown that finishes
 * runs has all the time: a person may be paging through what it says. */
static bool is_closing(const struct rpc *rpc)
{
    if (rpc->state == RPC_SERVING)
        return rpc->hung_up || rpc->in.ended;
    return rpc->state == RPC_ENDING;
}

/* ---- the end ---- */

static void end_begin(struct rpc *rpc)
{
    if (rpc->state == RPC_ENDING)
        return;
    rpc->state = RPC_ENDING;
    rpc_runs_cancel(rpc);
}

/* The answers that are due are given first; then what goes on is cancelled, but for a client that
 * has asked for the ends of its runs. */
static void client_gone(struct rpc *rpc)
{
    rpc->client_gone = true;
    if (rpc->state != RPC_FINISHING) {
        ptc_host_dispatch(rpc->host, 0);
        rpc_runs_harvest(rpc);
        end_begin(rpc);
        return;
    }
    for (struct rpc_run *run = rpc->runs; run; run = run->next)
        rpc_calls_refuse(run);
}

static void shutdown_answer(struct rpc *rpc)
{
    rpc_say_result(rpc, rpc->shutdown_id, "true", 4);
    free(rpc->shutdown_id);
    rpc->shutdown_id = NULL;
}

static bool is_over(struct rpc *rpc)
{
    if (rpc->out.error)
        return true;
    if (rpc->state == RPC_SERVING || rpc->runs)
        return false;
    shutdown_answer(rpc);
    rpc_out_flush(&rpc->out);
    return rpc_out_pending(&rpc->out) == 0;
}

/* ---- one turn ---- */

/* True: more lines wait, and could be served at once. */
static bool lines_serve(struct rpc *rpc)
{
    const char *line;
    size_t length;

    for (int i = 0; i < LINES_PER_TURN; i++) {
        if (is_full(rpc) || rpc->state == RPC_ENDING)
            return false;
        switch (rpc_in_next(&rpc->in, &line, &length)) {
        case RPC_LINE_THERE:
            rpc_request_serve(rpc, line, length);
            break;
        case RPC_LINE_TOO_LONG:
            rpc_say_error(rpc, NULL, "line_too_long",
                          "a line has more than %u bytes; it is ignored", RPC_LINE_BYTES_MAX);
            break;
        case RPC_LINE_NONE:
            if (rpc->in.ended && !rpc->client_gone)
                client_gone(rpc);
            return false;
        }
    }
    return true;
}

static int wait_ms(const struct rpc *rpc, bool full, uint64_t give_up_ms)
{
    int ms = full ? -1 : ptc_host_timeout_ms(rpc->host);
    uint64_t now = now_ms();
    uint64_t left = give_up_ms > now ? give_up_ms - now : 0;

    if (is_closing(rpc) && rpc_out_pending(&rpc->out) && (ms < 0 || (uint64_t)ms > left))
        ms = (int)left;
    return ms;
}

static int turn_wait(struct rpc *rpc, struct pollfd *fds, int timeout_ms)
{
    bool wants_in = rpc->state != RPC_ENDING && rpc_in_wants(&rpc->in);

    fds[FD_IN] = (struct pollfd){.fd = rpc->in_fd, .events = wants_in ? POLLIN : POLLRDHUP};
    if (!wants_in && (rpc->hung_up || rpc->in.ended || rpc->state == RPC_ENDING))
        fds[FD_IN].fd = -1;
    fds[FD_OUT] = (struct pollfd){.fd = rpc->out.fd};
    if (rpc_out_pending(&rpc->out))
        fds[FD_OUT].events = POLLOUT;
    fds[FD_HOST] =
        (struct pollfd){.fd = is_full(rpc) ? -1 : ptc_host_fd(rpc->host), .events = POLLIN};
    fds[FD_SIGNAL] = (struct pollfd){.fd = rpc->signal_fd, .events = POLLIN};
    return poll(fds, FD_COUNT, timeout_ms) < 0 && errno != EINTR ? -errno : 0;
}

/* The first one ends the service, the second one the program. */
static void signal_take(struct rpc *rpc)
{
    struct signalfd_siginfo info;

    if (read(rpc->signal_fd, &info, sizeof info) != sizeof info)
        return;
    if (rpc->state == RPC_ENDING)
        _exit(128 + (int)info.ssi_signo);
    end_begin(rpc);
}

static void input_take(struct rpc *rpc, const struct pollfd *fd)
{
    if (fd->revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL))
        rpc->hung_up = true;
    if (fd->revents && (fd->events & POLLIN) && rpc_in_fill(&rpc->in, rpc->in_fd) < 0)
        rpc->in.ended = true; /* as good as gone */
}

static int turn_serve(struct rpc *rpc, const struct pollfd *fds)
{
    if (fds[FD_SIGNAL].revents)
        signal_take(rpc);
    input_take(rpc, &fds[FD_IN]);
    if (fds[FD_OUT].revents &
        (POLLERR | POLLHUP | POLLNVAL)) /* nobody can read, even if nothing is said */
        rpc->out.error = -EPIPE;
    if (is_full(rpc))
        return 0;
    int r = ptc_host_dispatch(rpc->host, BUDGET_US);
    rpc_runs_harvest(rpc);
    return r < 0 ? r : 0;
}

static int exit_code_of(const struct rpc *rpc, bool gave_up)
{
    if (gave_up)
        output_say("the client does not read what it has asked for");
    else if (rpc->out.error && rpc->out.error != -EPIPE)
        output_say("cannot write to standard output: %s", strerror(-rpc->out.error));
    else
        return 0;
    return CLI_EXIT_OUTPUT;
}

int rpc_loop(struct rpc *rpc)
{
    uint64_t give_up_ms = 0;
    bool was_closing = false;
    struct pollfd fds[FD_COUNT];

    rpc_say_hello(rpc);
    for (;;) {
        bool more = lines_serve(rpc);

        if (rpc_out_flush(&rpc->out) || !is_closing(rpc) || !was_closing)
            give_up_ms = now_ms() + FLUSH_MS_MAX;
        was_closing = is_closing(rpc);
        if (is_over(rpc))
            return exit_code_of(rpc, false);
        if (was_closing && now_ms() >= give_up_ms && rpc_out_pending(&rpc->out))
            return exit_code_of(rpc, true);
        if (turn_wait(rpc, fds, more ? 0 : wait_ms(rpc, is_full(rpc), give_up_ms)) < 0 ||
            turn_serve(rpc, fds) < 0) {
            output_say("the service cannot go on");
            return 1;
        }
    }
}
