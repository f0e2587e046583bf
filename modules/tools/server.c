/* SPDX-License-Identifier: MIT
 *
 * The loop of the tools process: one reader, threads for the calls, one lock around the channel's
 * writing end. Frames come from the host, which is trusted, but through the same decoder as
 * everything else: a violation ends the process.
 */
#include "tools/tools.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "tools/state.h"
#include "wire/frame.h"
#include "wire/message.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

#define CALLS_MAX        64
#define THREADS_MAX      16 /* more calls wait for one of them: threads count against the run's limit */
#define CALL_STACK_BYTES (1024u * 1024u) /* address space; jansson recurses on nested JSON */
#define FAREWELL_MS      2000            /* for running calls to stop after the end of file */

struct server;

struct server_call {
    struct server *server;
    struct server_call *next; /* waiting for a thread */
    uint64_t id;
    json_t *head; /* the decoded frame */
    struct tool_call call;
};

struct server {
    int channel;
    const struct tools_config *config;
    struct tools_state *state;
    pthread_mutex_t lock; /* calls, running */
    pthread_cond_t idle;
    struct server_call *calls[CALLS_MAX];
    struct server_call *waiting, **waiting_end;
    size_t running; /* threads that may still touch this struct */
    pthread_mutex_t write_lock;
};

static struct server_call *call_free(struct server_call *call)
{
    if (call != NULL) {
        json_decref(call->head);
        fd_close(call->call.cancel_fd);
        free(call);
    }
    return NULL;
}

/* One frame at a time; result is consumed. */
static void reply(struct server *server, uint64_t id, json_t *result)
{
    int r = 0;

    if (result == NULL) {
        result = tools_error("the tool ran out of memory");
    }
    pthread_mutex_lock(&server->write_lock);
    r = message_reply_send(server->channel, id, result);
    if (r == -EMSGSIZE) {
        json_decref(result);
        result = tools_error("the result is too large to be carried to the script");
        r = message_reply_send(server->channel, id, result);
    }
    pthread_mutex_unlock(&server->write_lock);
    json_decref(result);
    if (r < 0) { /* half a frame may be out, or the host is gone: the reader is to notice */
        shutdown(server->channel, SHUT_RDWR);
    }
}

/* Frees the slot before the answer leaves, so that the host's next call finds it free. */
static void call_retire(struct server_call *call)
{
    struct server *server = call->server;

    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < CALLS_MAX; i++) {
        if (server->calls[i] == call) {
            server->calls[i] = NULL;
        }
    }
    pthread_mutex_unlock(&server->lock);
}

static void call_serve(struct server_call *call)
{
    struct server *server = call->server;
    const char *name = json_string_value(json_object_get(call->head, "tool"));
    tool_handler handler = tools_find(name);
    json_t *result = handler != NULL
                         ? handler(&call->call, json_object_get(call->head, "args"))
                         : tools_error("%.100s is not a tool of the tools process", name);

    call_retire(call);
    reply(server, call->id, result); /* a cancelled call too: the host waits for its end */
    call_free(call);
}

/* The next call that waits; NULL: none, and this thread does not count any more. */
static struct server_call *waiting_take(struct server *server)
{
    struct server_call *call = NULL;

    pthread_mutex_lock(&server->lock);
    call = server->waiting;
    if (call != NULL) {
        server->waiting = call->next;
        if (server->waiting == NULL) {
            server->waiting_end = &server->waiting;
        }
    } else {
        server->running--;
        pthread_cond_broadcast(&server->idle);
    }
    pthread_mutex_unlock(&server->lock);
    return call;
}

static void *thread_main(void *user)
{
    struct server_call *call = user;
    struct server *server = call->server;

    while (call != NULL) {
        call_serve(call);
        call = waiting_take(server);
    }
    return NULL;
}

static int thread_start(struct server_call *call)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int r = 0;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, CALL_STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    r = -pthread_create(&thread, &attributes, thread_main, call);
    pthread_attr_destroy(&attributes);
    return r;
}

/* On a thread of its own; where there are enough, or the system gives no more, when one is free. */
static int call_start(struct server_call *call)
{
    struct server *server = call->server;
    int r = -EAGAIN;

    pthread_mutex_lock(&server->lock);
    if (server->running < THREADS_MAX) {
        r = thread_start(call);
        server->running += r == 0;
    }
    if (r == -EAGAIN && server->running > 0) {
        *server->waiting_end = call;
        server->waiting_end = &call->next;
        r = 0;
    }
    pthread_mutex_unlock(&server->lock);
    return r;
}

/* A slot for the call. -EPROTO: the id is in use; -EBUSY: all are taken. */
static int call_register(struct server *server, struct server_call *call)
{
    size_t slot = CALLS_MAX;
    int r = 0;

    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < CALLS_MAX; i++) {
        if (server->calls[i] == NULL) {
            slot = i;
        } else if (server->calls[i]->id == call->id) {
            r = -EPROTO;
        }
    }
    if (r == 0 && slot == CALLS_MAX) {
        r = -EBUSY;
    }
    if (r == 0) {
        server->calls[slot] = call;
    }
    pthread_mutex_unlock(&server->lock);
    return r;
}

/* 0 or -EPROTO. */
static int call_parse(struct server_call *call, const struct frame *frame)
{
    const json_t *deadline = NULL;

    call->head = message_decode(frame, "args", NULL);
    if (call->id == 0 || !json_is_string(json_object_get(call->head, "tool")) ||
        !json_is_object(json_object_get(call->head, "args"))) {
        return -EPROTO;
    }
    deadline = json_object_get(call->head, "deadline_ms");
    if (json_is_number(deadline) && json_number_value(deadline) > 0) {
        double ms = json_number_value(deadline);
        ms = ms < 1e12 ? ms : 1e12;
        call->call.deadline_ns = clock_now_ns() + (uint64_t)(ms * NS_PER_MS);
    }
    return 0;
}

static struct server_call *call_new(struct server *server, uint64_t id)
{
    struct server_call *call = calloc(1, sizeof(*call));

    if (call == NULL) {
        return NULL;
    }
    call->server = server;
    call->id = id;
    call->call.config = server->config;
    call->call.state = server->state;
    call->call.cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return call->call.cancel_fd >= 0 ? call : call_free(call);
}

/* 0, or negative: a violation. What cannot be started is answered with an error. */
static int server_handle_call(struct server *server, const struct frame *frame)
{
    struct server_call *call = call_new(server, frame->header.id);
    int r = 0;

    if (call == NULL) {
        reply(server, frame->header.id, tools_error("the tools process has no memory or fds left"));
        return 0;
    }
    r = call_parse(call, frame);
    if (r == 0) {
        r = call_register(server, call);
    }
    if (r == -EPROTO) {
        call_free(call);
        return r;
    }
    if (r == 0) {
        r = call_start(call);
        if (r == 0) {
            return 0;
        }
        call_retire(call);
    }
    reply(server, call->id,
          tools_error("the call could not be started: %s",
                      r == -EBUSY ? "64 calls are running" : strerrordesc_np(-r)));
    call_free(call);
    return 0;
}

/* A cancel that crosses the answer names a call that is no more: nothing to do. */
static void server_handle_cancel(struct server *server, uint64_t id)
{
    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < CALLS_MAX; i++) {
        if (server->calls[i] != NULL && server->calls[i]->id == id) {
            eventfd_write(server->calls[i]->call.cancel_fd, 1);
        }
    }
    pthread_mutex_unlock(&server->lock);
}

static int server_handle_frame(struct server *server, const struct frame *frame)
{
    switch (frame->header.type) {
    case FRAME_CALL:
        return server_handle_call(server, frame);
    case FRAME_CANCEL:
        server_handle_cancel(server, frame->header.id);
        return 0;
    default:
        return -EPROTO;
    }
}

/* 0 at end of file, negative errno at a violation or a broken channel. */
static int server_read(struct server *server, struct frame_reader *reader)
{
    struct frame frame;

    for (;;) {
        int r = frame_reader_next(reader, &frame);
        ssize_t n = 0;
        if (r > 0) {
            r = server_handle_frame(server, &frame);
            if (r < 0) {
                return r;
            }
            continue;
        }
        if (r < 0) {
            return r;
        }
        n = frame_reader_fill(reader, server->channel, 0);
        if (n == 0) {
            return frame_reader_is_mid_frame(reader) ? -EPROTO : 0;
        }
        if (n < 0 && n != -EINTR) {
            return (int)n;
        }
    }
}

/* True when no call runs any more. */
static bool server_end_calls(struct server *server)
{
    struct timespec until;
    bool idle = false;
    int r = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += FAREWELL_MS / 1000;
    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < CALLS_MAX; i++) {
        if (server->calls[i] != NULL) {
            eventfd_write(server->calls[i]->call.cancel_fd, 1);
        }
    }
    while (server->running > 0 && r == 0) {
        r = pthread_cond_timedwait(&server->idle, &server->lock, &until);
    }
    idle = server->running == 0;
    pthread_mutex_unlock(&server->lock);
    return idle;
}

static struct server *server_free(struct server *server)
{
    if (server != NULL) {
        tools_state_free(server->state);
        pthread_mutex_destroy(&server->lock);
        pthread_mutex_destroy(&server->write_lock);
        pthread_cond_destroy(&server->idle);
        free(server);
    }
    return NULL;
}

static struct server *server_new(int channel, const struct tools_config *config)
{
    struct server *server = calloc(1, sizeof(*server));
    pthread_condattr_t monotonic;

    if (server == NULL) {
        return NULL;
    }
    server->channel = channel;
    server->config = config;
    server->waiting_end = &server->waiting;
    pthread_mutex_init(&server->lock, NULL);
    pthread_mutex_init(&server->write_lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&server->idle, &monotonic);
    pthread_condattr_destroy(&monotonic);
    server->state = tools_state_new(config);
    return server->state != NULL ? server : server_free(server);
}

int tools_serve(int channel, const struct tools_config *config)
{
    struct server *server = server_new(channel, config);
    struct frame_reader reader;
    int r = 0;

    if (server == NULL) {
        return -ENOMEM;
    }
    /* A file size limit is to be an error of write(2), not the end of this process. Shells that are
     * started get the default back. */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    frame_reader_init(&reader, FRAME_BYTES_MAX);
    r = server_read(server, &reader);
    frame_reader_deinit(&reader);
    shutdown(channel, SHUT_RDWR); /* frees a thread that is stuck in writing an answer */
    if (server_end_calls(server)) {
        server_free(server);
    } /* else a call is still running and uses it; the process ends now anyway */
    return r;
}
