/* SPDX-License-Identifier: MIT
 *
 * The methods that are answered at once.
 */
#include "cli/rpc.h"

#include <stdlib.h>
#include <string.h>

static void answer(const struct rpc_request *request, char *json)
{
    if (json)
        rpc_say_result(request->rpc, request->id, json, strlen(json));
    else
        rpc_say_error(request->rpc, request->id, "no_memory", "%s: no memory", request->method);
    ptc_free(json);
}

void rpc_do_ping(const struct rpc_request *request)
{
    rpc_say_result(request->rpc, request->id, "\"pong\"", 6);
}

void rpc_do_stats(const struct rpc_request *request)
{
    answer(request, ptc_host_stats_json(request->rpc->host));
}

void rpc_do_features(const struct rpc_request *request)
{
    answer(request, ptc_features_json());
}

void rpc_do_schema(const struct rpc_request *request)
{
    struct ptc_error error = PTC_ERROR_INIT;
    const char *format = rpc_string(request, "format");
    ptc_settings *settings = rpc_settings(request);
    char *text;

    if (!settings)
        return;
    text = ptc_schema_json(request->rpc->host, settings, format ? format : "openai", &error);
    if (text)
        answer(request, text);
    else
        rpc_say_ptc_error(request->rpc, request->id, &error);
    ptc_settings_free(settings);
}

/* Text, so a JSON string. */
void rpc_do_stubs(const struct rpc_request *request)
{
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_settings *settings = rpc_settings(request);
    char *text = settings ? ptc_stub_text(request->rpc->host, settings, &error) : NULL;
    json_t *string = text ? json_string(text) : NULL;
    char *json = string ? rpc_json_text(string, NULL) : NULL;

    if (text)
        answer(request, json);
    else if (settings)
        rpc_say_ptc_error(request->rpc, request->id, &error);
    json_decref(string);
    ptc_free(text);
    ptc_settings_free(settings);
}

void rpc_do_register_tool(const struct rpc_request *request)
{
    struct ptc_error error = PTC_ERROR_INIT;
    json_t *spec = json_copy(request->object); /* shallow: the members are shared */
    char *text;

    json_object_del(spec, "id");
    json_object_del(spec, "method");
    text = rpc_json_text(spec, NULL);
    json_decref(spec);
    if (text && ptc_host_add_tool(request->rpc->host, text, rpc_call_own, request->rpc, NULL,
                                  &error) == PTC_OK)
        rpc_say_result(request->rpc, request->id, "true", 4);
    else if (text)
        rpc_say_ptc_error(request->rpc, request->id, &error);
    else
        rpc_say_error(request->rpc, request->id, "no_memory", "register_tool: no memory");
    free(text);
}

/* Answered when everything else is: its answer is the last line. */
void rpc_do_shutdown(const struct rpc_request *request)
{
    struct rpc *rpc = request->rpc;
    bool finish = json_is_true(json_object_get(request->object, "finish"));

    if (rpc->shutdown_asked && finish) {
        rpc_say_error(rpc, request->id, "shutting_down", "shutdown: it is under way already");
        return;
    }
    rpc->shutdown_asked = true;
    if (request->id && !rpc->shutdown_id)
        rpc->shutdown_id = strdup(request->id);
    else if (request->id)
        rpc_say_result(rpc, request->id, "true", 4);
    rpc->state = finish ? RPC_FINISHING : RPC_ENDING;
    if (!finish)
        rpc_runs_cancel(rpc);
}
