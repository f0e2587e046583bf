/* SPDX-License-Identifier: MIT
 *
 * Calls that the client has a say in: those of its own tools, and those that its policy is asked
 * about. Each handle that the library gives for it is given back exactly once.
 */
#include "cli/rpc.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

static struct rpc_call *call_by_number(struct rpc_run *run, uint64_t number)
{
    for (struct rpc_call *call = run->calls; call; call = call->next)
        if (call->number == number)
            return call;
    return NULL;
}

struct rpc_call *rpc_call_note(struct rpc_run *run, uint64_t number)
{
    struct rpc_call *call = call_by_number(run, number);

    if (call)
        return call;
    call = calloc(1, sizeof *call);
    if (!call)
        return NULL;
    call->number = number;
    call->token = ++run->rpc->last_token;
    call->next = run->calls;
    run->calls = call;
    return call;
}

static void call_let_go(struct rpc_call *call, const char *answer, const char *reason)
{
    ptc_call *own = call->own, *asked = call->asked;

    call->own = call->asked = NULL;
    if (own)
        ptc_call_reply(own, answer, strlen(answer));
    if (asked)
        ptc_call_decide(asked, PTC_DENY, reason);
}

static void call_remove(struct rpc_run *run, struct rpc_call *call)
{
    struct rpc_call **link = &run->calls;

    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
    free(call);
}

void rpc_call_over(struct rpc_run *run, uint64_t number)
{
    struct rpc_call *call = call_by_number(run, number);

    if (!call)
        return;
    call_let_go(call, "null", NULL);
    call_remove(run, call);
}

void rpc_calls_free(struct rpc_run *run)
{
    while (run->calls)
        rpc_call_over(run, run->calls->number);
}

void rpc_calls_refuse(struct rpc_run *run)
{
    static const char gone[] = "{\"error\":\"the program that serves this tool has gone\"}";

    for (struct rpc_call *call = run->calls; call; call = call->next)
        call_let_go(call, gone, "the program that decides has gone");
}

static struct rpc_call *call_by_token(struct rpc *rpc, json_int_t token, struct rpc_run **ret_run)
{
    for (struct rpc_run *run = rpc->runs; run; run = run->next)
        for (struct rpc_call *call = run->calls; call; call = call->next)
            if (token > 0 && call->token == (uint64_t)token) {
                *ret_run = run;
                return call;
            }
    return NULL;
}

/* ---- from the library to the client ---- */

static void say_call(struct rpc_run *run, const char *type, const struct rpc_call *note,
                     const ptc_call *call)
{
    struct rpc *rpc = run->rpc;
    const char *tool = ptc_call_tool(call);
    size_t length;
    const char *args = ptc_call_args_json(call, &length);

    rpc_say_begin(rpc, type, run);
    rpc_say_member(rpc, "call");
    rpc_out_number(&rpc->out, note->token);
    rpc_say_member(rpc, "tool");
    rpc_out_string(&rpc->out, NULL, tool, strlen(tool));
    rpc_say_member(rpc, "args");
    rpc_out_json(&rpc->out, args, length);
    rpc_say_end(rpc);
}

int rpc_call_policy(ptc_call *call, void *user)
{
    struct rpc_run *run = user;
    struct rpc_call *note =
        run->rpc->client_gone ? NULL : rpc_call_note(run, ptc_call_number(call));

    if (!note)
        return PTC_DENY;
    note->asked = call;
    say_call(run, "ask", note, call);
    return PTC_ASK;
}

void rpc_call_own(ptc_call *call, void *user)
{
    static const char no[] = "{\"error\":\"the program that serves this tool has gone\"}";
    struct rpc_run *run = ptc_call_run_user(call);
    struct rpc_call *note =
        run->rpc->client_gone ? NULL : rpc_call_note(run, ptc_call_number(call));

    (void)user;
    if (!note) {
        ptc_call_reply(call, no, sizeof no - 1);
        return;
    }
    note->own = call;
    say_call(run, "call", note, call);
}

/* ---- from the client to the library ---- */

/* The call that a request names, when it waits for this; else says why not. */
static struct rpc_call *call_wanted(const struct rpc_request *request, bool asked,
                                    struct rpc_run **ret_run)
{
    struct rpc *rpc = request->rpc;
    json_int_t token = json_integer_value(json_object_get(request->object, "call"));
    struct rpc_call *call = call_by_token(rpc, token, ret_run);
    const char *what = asked ? "decision" : "reply";

    if (call && (asked ? call->asked : call->own))
        return call;
    if (token < 1 || (uint64_t)token > rpc->last_token)
        rpc_say_error(rpc, request->id, "unknown_call",
                      "%s: there has been no call %" JSON_INTEGER_FORMAT, request->method, token);
    else
        rpc_say_error(rpc, request->id, "unknown_call",
                      "%s: call %" JSON_INTEGER_FORMAT " waits for no %s: it has had one, wants "
                      "none, or its run has ended",
                      request->method, token, what);
    return NULL;
}

/* The answer as JSON; {"error": text} for "error". To be freed. */
static char *answer_text(const struct rpc_request *request, size_t *ret_length)
{
    json_t *result = json_object_get(request->object, "result");
    json_t *error = json_object_get(request->object, "error");
    _cleanup_rpc_json_ json_t *answer =
        error ? json_pack("{s:O}", "error", error) : json_incref(result);

    return answer ? rpc_json_text(answer, ret_length) : NULL;
}

void rpc_do_reply(const struct rpc_request *request)
{
    struct rpc_run *run;
    struct rpc_call *call;
    size_t length;
    char *text;

    if (!json_object_get(request->object, "result") == !json_object_get(request->object, "error")) {
        rpc_say_error(request->rpc, request->id, "bad_request",
                      "reply: exactly one of result and error must be given");
        return;
    }
    call = call_wanted(request, false, &run);
    if (!call)
        return;
    text = answer_text(request, &length);
    if (!text) {
        rpc_say_error(request->rpc, request->id, "no_memory", "reply: no memory for the answer");
        return;
    }
    ptc_call_reply(call->own, text, length); /* PTC_E_STATE: nobody waits any more, as good */
    call->own = NULL;
    free(text);
    rpc_say_result(request->rpc, request->id, "true", 4);
}

void rpc_do_decide(const struct rpc_request *request)
{
    static const char *const words[] = {"allow", "deny", NULL};
    const char *word = rpc_string(request, "decision");
    bool allow = strcmp(word, words[0]) == 0;
    struct rpc_run *run;
    struct rpc_call *call;
    char guess[64];
    int r;

    if (!allow && strcmp(word, words[1]) != 0) {
        rpc_say_error(request->rpc, request->id, "bad_request",
                      "decide: decision is \"allow\" or \"deny\", not \"%.60s\"%s", word,
                      rpc_did_you_mean(word, words, guess, sizeof guess));
        return;
    }
    call = call_wanted(request, true, &run);
    if (!call)
        return;
    r = ptc_call_decide(call->asked, allow ? PTC_ALLOW : PTC_DENY, rpc_string(request, "reason"));
    call->asked = NULL;
    if (!allow || r < 0)
        call_remove(run, call); /* an allowed one has its start and its end before it */
    if (r < 0)
        rpc_say_error(request->rpc, request->id, "unknown_call",
                      "decide: too late: nobody waits for the decision any more");
    else
        rpc_say_result(request->rpc, request->id, "true", 4);
}
