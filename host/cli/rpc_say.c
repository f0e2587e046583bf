/* SPDX-License-Identifier: MIT
 *
 * The shapes of the lines that the service writes.
 */
#include "cli/rpc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PROBLEM_BYTES 2048

void rpc_say_hello(struct rpc *rpc)
{
    rpc_out_text(&rpc->out, "{\"type\":\"hello\",\"protocol\":");
    rpc_out_number(&rpc->out, RPC_PROTOCOL);
    rpc_out_text(&rpc->out, ",\"program\":\"ptc-host\",\"version\":");
    rpc_out_string(&rpc->out, NULL, ptc_version(), strlen(ptc_version()));
    rpc_say_end(rpc);
}

static void begin_answer(struct rpc *rpc, const char *type, const char *id)
{
    rpc_out_text(&rpc->out, "{\"type\":\"");
    rpc_out_text(&rpc->out, type);
    rpc_out_text(&rpc->out, "\",\"id\":");
    rpc_out_text(&rpc->out, id ? id : "null");
}

void rpc_say_error(struct rpc *rpc, const char *id, const char *code, const char *format, ...)
{
    char text[PROBLEM_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    begin_answer(rpc, "error", id);
    rpc_say_member(rpc, "code");
    rpc_out_string(&rpc->out, NULL, code, strlen(code));
    rpc_say_member(rpc, "message");
    rpc_out_string(&rpc->out, NULL, text, strlen(text));
    rpc_say_end(rpc);
}

void rpc_say_ptc_error(struct rpc *rpc, const char *id, const struct ptc_error *error)
{
    static const char *const codes[] = {"system",    "invalid",     "no_memory", "system",
                                        "not_found", "unavailable", "state"};
    size_t index = error->code < 0 ? (size_t)-error->code : 0;
    const char *code = index < sizeof codes / sizeof codes[0] ? codes[index] : "system";

    rpc_say_error(rpc, id, code, "%s", error->message);
}

void rpc_say_result(struct rpc *rpc, const char *id, const char *result, size_t length)
{
    if (!id)
        return;
    begin_answer(rpc, "result", id);
    rpc_say_member(rpc, "result");
    rpc_out_json(&rpc->out, result, length);
    rpc_say_end(rpc);
}

void rpc_say_begin(struct rpc *rpc, const char *type, const struct rpc_run *run)
{
    rpc_out_text(&rpc->out, "{\"type\":\"");
    rpc_out_text(&rpc->out, type);
    rpc_out_text(&rpc->out, "\",\"run\":");
    rpc_out_text(&rpc->out, run->id);
}

void rpc_say_member(struct rpc *rpc, const char *name)
{
    rpc_out_text(&rpc->out, ",\"");
    rpc_out_text(&rpc->out, name);
    rpc_out_text(&rpc->out, "\":");
}

void rpc_say_end(struct rpc *rpc)
{
    rpc_out_add(&rpc->out, "}\n", 2);
}
