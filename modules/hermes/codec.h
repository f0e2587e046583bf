/* SPDX-License-Identifier: MIT
 *
 * Python values to the bytes of wire/message.h, and back. Nothing here runs code of the script but
 * __fspath__; data that changes underneath, refers to itself or holds odd types gives an exception
 * that names the argument, before a byte is sent.
 */
#pragma once

#include "base/buf.h"
#include "hermes/bind.h"
#include "hermes/channel_call.h"
#include "hermes/state.h"

/* One CALL frame. The parts borrow from objects that `owners` keeps alive. */
struct call_message {
    struct buf head, json_body, table;
    struct frame_part *parts;
    size_t part_count, part_capacity;
    size_t body_bytes;
    PyObject *owners; /* list, or NULL */
    uint16_t flags;
};

void call_message_deinit(struct call_message *message);

/* 0, or -1 with TypeError, ValueError, OverflowError, RuntimeError or MemoryError set. */
int codec_encode_call(struct call_message *message, const struct tool_spec *spec,
                      const struct bound_args *args);

/* The result of a reply: always a dict for the built-in tools. NULL: RuntimeError (not readable) or
 * ToolError (the tool failed and its kind raises). */
PyObject *codec_decode_reply(struct module_state *state, const struct tool_spec *spec,
                             const struct call_reply *reply);

/* The JSON value at the start of text; what follows it, blanks dropped, or NULL, in ret_rest. */
PyObject *codec_scan(struct module_state *state, PyObject *text, PyObject **ret_rest);
