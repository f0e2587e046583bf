/* SPDX-License-Identifier: MIT
 *
 * A tool call from bound arguments to result: encode, send, wait without the GIL (signals are
 * served meanwhile), decode.
 */
#include "hermes/call.h"

#include <errno.h>
#include <string.h>

struct hermes_channel *call_channel(void)
{
    const struct hermes_session *session = hermes_session_current();

    if (!session || !session->channel) {
        PyErr_SetString(PyExc_RuntimeError, "tools cannot be called here: there is no host");
        return NULL;
    }
    if (!channel_is_owner(session->channel)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "tools cannot be called in a forked child of the script: call them in the "
                        "script's own process (threads are fine) and hand the results over");
        return NULL;
    }
    return session->channel;
}

static void failure_raise(int failure)
{
    switch (failure) {
    case -ENOMEM:
        PyErr_NoMemory();
        return;
    case -ECONNRESET:
    case -EPIPE:
        PyErr_SetString(PyExc_RuntimeError, "the host has closed the tool channel");
        return;
    case -EBADF:
    case -ENOTSOCK:
    case -ENOTCONN:
        PyErr_SetString(PyExc_RuntimeError,
                        "the tool channel is gone: its file descriptor was closed in this process");
        return;
    case -EPROTO:
    case -EMSGSIZE:
        PyErr_SetString(
            PyExc_RuntimeError,
            "the tool channel is unusable: the host sent a frame that breaks the protocol");
        return;
    default:
        PyErr_Format(PyExc_RuntimeError, "the tool channel has failed: %s", strerror(-failure));
    }
}

struct tool_call *call_new(const struct tool_spec *spec, const struct bound_args *args)
{
    struct tool_call *call = PyMem_RawCalloc(1, sizeof(*call));

    if (!call) {
        PyErr_NoMemory();
        return NULL;
    }
    call->spec = spec;
    if (codec_encode_call(&call->message, spec, args) < 0)
        return call_free(call);
    struct call_message *message = &call->message;
    struct frame_part head = {message->head.data, message->head.length};
    struct frame_header header = {
        .type = FRAME_CALL,
        .flags = message->flags,
        .head_bytes = (uint32_t)head.length,
        .body_bytes = (uint32_t)message->body_bytes,
    };
    if (channel_call_init(&call->base, &header, head, message->parts, message->part_count) < 0) {
        PyErr_NoMemory();
        return call_free(call);
    }
    return call;
}

struct tool_call *call_free(struct tool_call *call)
{
    if (!call)
        return NULL;
    channel_call_deinit(&call->base);
    call_message_deinit(&call->message);
    PyMem_RawFree(call);
    return NULL;
}

PyObject *call_result(struct module_state *state, struct tool_call *call)
{
    if (call->base.state == CALL_ANSWERED)
        return codec_decode_reply(state, call->spec, &call->base.reply);
    if (call->base.state == CALL_FAILED)
        failure_raise(call->base.failure);
    else
        PyErr_SetString(PyExc_RuntimeError, "the call was given up");
    return NULL;
}

void calls_deliver(struct hermes_channel *channel)
{
    struct channel_call *call;

    while ((call = channel_take_finished(channel)))
        async_call_deliver(call->user);
}

static void call_abandon(struct hermes_channel *channel, struct tool_call *call)
{
    PyThreadState *thread = PyEval_SaveThread();
    channel_abandon(channel, &call->base);
    PyEval_RestoreThread(thread);
}

/* What wanted the GIL in the middle of a wait. -1: an exception ends the call. The Python code that
 * runs here may fork: then the child must leave the channel alone. */
static int call_interlude(struct hermes_channel *channel, struct tool_call *call)
{
    calls_deliver(channel);
    int r = PyErr_CheckSignals();
    if (!channel_is_owner(channel))
        return r < 0 || !call_channel() ? -1 : 0;
    if (r < 0)
        call_abandon(channel, call);
    return r;
}

static int call_wait(struct hermes_channel *channel, struct tool_call *call)
{
    bool serve_signals = channel_on_main_thread(channel);
    PyThreadState *thread = PyEval_SaveThread();

    channel_submit(channel, &call->base);
    for (;;) {
        bool over = channel_wait(channel, &call->base, serve_signals);
        PyEval_RestoreThread(thread);
        if (over)
            break;
        if (call_interlude(channel, call) < 0)
            return -1;
        thread = PyEval_SaveThread();
    }
    calls_deliver(channel);
    return 0;
}

PyObject *call_run(struct module_state *state, const struct tool_spec *spec,
                   const struct bound_args *args)
{
    PyObject *result = NULL;
    struct tool_call *call = call_new(spec, args);

    if (!call)
        return NULL;
    struct hermes_channel *channel = call_channel(); /* last: __fspath__ may have forked */
    if (channel && call_wait(channel, call) == 0)
        result = call_result(state, call);
    call_free(call);
    return result;
}
