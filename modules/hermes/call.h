/* SPDX-License-Identifier: MIT
 *
 * One tool call as an object of its own on the heap: a thread that the interpreter ends while it
 * waits leaves it behind intact.
 */
#pragma once

#include "hermes/codec.h"

struct tool_call {
    struct channel_call base;
    struct call_message message;
    const struct tool_spec *spec;
};
