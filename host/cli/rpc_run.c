/* SPDX-License-Identifier: MIT
 *
 * run, tool_call and cancel; runs from their request to their answer.
 */
#include "cli/rpc.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned bit;
} event_names[] = {
    {"output", RPC_WANTS_OUTPUT},
    {"call_started", RPC_WANTS_CALL_STARTED},
    {"call_ended", RPC_WANTS_CALL_ENDED},
    {"heartbeat", RPC_WANTS_HEARTBEAT},
};
#define EVENT_COUNT (sizeof event_names / sizeof event_names[0])

struct rpc_run *rpc_run_find(struct rpc *rpc, const char *id)
{
    for (struct rpc_run *run = rpc->runs; run; run = run->next)
        if (strcmp(run->id, id) == 0)
            return run;
    return NULL;
}

/* ---- start ---- */

static void say_unknown_event(const struct rpc_request *request, const char *name)
{
    const char *names[EVENT_COUNT + 1] = {NULL};
    char guess[64];

    for (size_t i = 0; i < EVENT_COUNT; i++)
        names[i] = event_names[i].name;
    rpc_did_you_mean(name, names, guess, sizeof guess);
    rpc_say_error(request->rpc, request->id, "bad_request",
                  "%s: there is no event '%.60s'%s%s are: output, call_started, call_ended, "
                  "heartbeat",
                  request->method, name, guess, *guess ? " There" : "; there");
}

/* False: said what is wrong. */
static bool events_read(const struct rpc_request *request, unsigned *ret_wants)
{
    const json_t *events = json_object_get(request->object, "events");

    *ret_wants = json_is_true(events) ? RPC_WANTS_ALL : 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const char *name = json_string_value(json_array_get(events, i));
        unsigned bit = 0;

        for (size_t j = 0; j < EVENT_COUNT; j++)
            if (strcmp(event_names[j].name, name) == 0)
                bit = event_names[j].bit;
        if (!bit) {
            say_unknown_event(request, name);
            return false;
        }
        *ret_wants |= bit;
    }
    return true;
}

static struct rpc_run *run_new(const struct rpc_request *request)
{
    struct rpc_run *run = calloc(1, sizeof *run);

    if (!run)
        return NULL;
    run->rpc = request->rpc;
    run->id = strdup(request->id);
    if (!run->id) {
        free(run);
        return NULL;
    }
    return run;
}

static void run_free(struct rpc_run *run)
{
    rpc_calls_free(run);
    ptc_run_free(run->handle);
    free(run->id);
    free(run);
}

/* The new run is in the list, or an error is said. */
static void run_start(const struct rpc_request *request, struct ptc_run_options *options)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct rpc *rpc = request->rpc;
    ptc_settings *settings = rpc_settings(request);
    struct rpc_run *run = settings ? run_new(request) : NULL;

    if (settings && !run)
        rpc_say_error(rpc, request->id, "no_memory", "%s: no memory", request->method);
    if (!run || !events_read(request, &run->wants)) {
        ptc_settings_free(settings);
        if (run)
            run_free(run);
        return;
    }
    options->settings = settings;
    options->user = run;
    options->event = rpc_run_event;
    if (json_is_true(json_object_get(request->object, "policy")))
        options->policy = rpc_call_policy;
    run->handle = ptc_run_start(rpc->host, options, &error);
    ptc_settings_free(settings);
    if (!run->handle) {
        rpc_say_ptc_error(rpc, request->id, &error);
        run_free(run);
        return;
    }
    run->next = rpc->runs;
    rpc->runs = run;
    rpc->run_count++;
}

static bool has_room(const struct rpc_request *request)
{
    if (request->rpc->run_count < RPC_RUNS_MAX)
        return true;
    rpc_say_error(request->rpc, request->id, "too_many_runs",
                  "%s: %d runs go on already; wait for the end of one", request->method,
                  RPC_RUNS_MAX);
    return false;
}

static bool code_take(const struct rpc_request *request, struct ptc_run_options *options)
{
    const json_t *code = json_object_get(request->object, "code");

    options->path = rpc_string(request, "path");
    options->argv0 = rpc_string(request, "argv0");
    options->code = json_string_value(code);
    options->code_length = json_string_length(code);
    if (!options->code == !options->path) {
        rpc_say_error(request->rpc, request->id, "bad_request",
                      "run: exactly one of code and path must be given");
        return false;
    }
    return true;
}

void rpc_do_run(const struct rpc_request *request)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    const json_t *args = json_object_get(request->object, "args");
    const char **argv;

    if (!has_room(request) || !code_take(request, &options))
        return;
    argv = calloc(json_array_size(args) + 1, sizeof *argv);
    if (!argv) {
        rpc_say_error(request->rpc, request->id, "no_memory", "run: no memory");
        return;
    }
    options.argc = json_array_size(args);
    for (size_t i = 0; i < options.argc; i++)
        argv[i] = json_string_value(json_array_get(args, i));
    options.argv = argv;
    run_start(request, &options);
    free(argv);
}

void rpc_do_tool_call(const struct rpc_request *request)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    const json_t *args = json_object_get(request->object, "args");
    char *text = args ? rpc_json_text(args, NULL) : NULL;

    if (has_room(request)) {
        options.tool = rpc_string(request, "tool");
        options.tool_args_json = text;
        run_start(request, &options);
    }
    free(text);
}

/* ---- end ---- */

void rpc_do_cancel(const struct rpc_request *request)
{
    char *id = rpc_json_text(json_object_get(request->object, "run"), NULL);
    struct rpc_run *run = id ? rpc_run_find(request->rpc, id) : NULL;

    if (run) {
        ptc_run_cancel(run->handle, rpc_string(request, "reason"));
        rpc_say_result(request->rpc, request->id, "true", 4);
    } else {
        rpc_say_error(request->rpc, request->id, "unknown_run",
                      "cancel: no run %.200s goes on: it has ended, or there was none",
                      id ? id : "");
    }
    free(id);
}

void rpc_runs_harvest(struct rpc *rpc)
{
    struct rpc_run **link = &rpc->runs, *run;

    while ((run = *link)) {
        const ptc_result *result = ptc_run_result(run->handle);
        size_t length;

        if (!result) {
            link = &run->next;
            continue;
        }
        const char *text = ptc_result_json(result, &length);
        rpc_say_result(rpc, run->id, text, length);
        *link = run->next;
        rpc->run_count--;
        run_free(run);
    }
}

void rpc_runs_cancel(struct rpc *rpc)
{
    for (struct rpc_run *run = rpc->runs; run; run = run->next)
        ptc_run_cancel(run->handle, "the service has ended");
}

void rpc_runs_free(struct rpc *rpc)
{
    while (rpc->runs) {
        struct rpc_run *run = rpc->runs;

        rpc->runs = run->next;
        run_free(run);
    }
    rpc->run_count = 0;
}
