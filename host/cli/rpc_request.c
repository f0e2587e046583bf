/* SPDX-License-Identifier: MIT
 *
 * From a line to a method. Whatever is wrong with a line is said in one error line, and the next
 * line is served.
 */
#include "cli/rpc.h"

#include <stdlib.h>
#include <string.h>

struct rpc_method {
    const char *name;
    void (*serve)(const struct rpc_request *request);
    bool needs_id;    /* what comes later names it */
    bool when_ending; /* also while the runs come to their ends */
    struct rpc_field fields[9];
};

static const struct rpc_method method_table[] = {
    {"run",
     rpc_do_run,
     true,
     false,
     {{"code", RPC_TEXT},
      {"path", RPC_STRING},
      {"args", RPC_STRINGS},
      {"argv0", RPC_STRING},
      {"options", RPC_OBJECT},
      {"events", RPC_CHOICE},
      {"policy", RPC_BOOLEAN},
      {NULL}}},
    {"tool_call",
     rpc_do_tool_call,
     true,
     false,
     {{"tool", RPC_STRING, true},
      {"args", RPC_OBJECT},
      {"options", RPC_OBJECT},
      {"events", RPC_CHOICE},
      {"policy", RPC_BOOLEAN},
      {NULL}}},
    {"cancel", rpc_do_cancel, false, true, {{"run", RPC_ID, true}, {"reason", RPC_STRING}, {NULL}}},
    {"register_tool",
     rpc_do_register_tool,
     false,
     false,
     {{"name", RPC_STRING, true},
      {"description", RPC_STRING},
      {"parameters", RPC_OBJECT},
      {"flags", RPC_STRINGS},
      {NULL}}},
    {"reply",
     rpc_do_reply,
     false,
     true,
     {{"call", RPC_INTEGER, true}, {"result", RPC_ANY}, {"error", RPC_TEXT}, {NULL}}},
    {"decide",
     rpc_do_decide,
     false,
     true,
     {{"call", RPC_INTEGER, true}, {"decision", RPC_STRING, true}, {"reason", RPC_STRING}, {NULL}}},
    {"schema",
     rpc_do_schema,
     false,
     true,
     {{"format", RPC_STRING}, {"options", RPC_OBJECT}, {NULL}}},
    {"stubs", rpc_do_stubs, false, true, {{"options", RPC_OBJECT}, {NULL}}},
    {"stats", rpc_do_stats, false, true, {{NULL}}},
    {"features", rpc_do_features, false, true, {{NULL}}},
    {"ping", rpc_do_ping, false, true, {{NULL}}},
    {"shutdown", rpc_do_shutdown, false, true, {{"finish", RPC_BOOLEAN}, {NULL}}},
};
#define METHOD_COUNT (sizeof method_table / sizeof method_table[0])

static const struct rpc_method *method_find(const char *name)
{
    for (size_t i = 0; i < METHOD_COUNT; i++)
        if (strcmp(method_table[i].name, name) == 0)
            return &method_table[i];
    return NULL;
}

static void say_unknown_method(const struct rpc_request *request)
{
    const char *names[METHOD_COUNT + 1] = {NULL};
    char guess[128];

    for (size_t i = 0; i < METHOD_COUNT; i++)
        names[i] = method_table[i].name;
    rpc_did_you_mean(request->method, names, guess, sizeof guess);
    rpc_say_error(request->rpc, request->id, "unknown_method", "there is no method '%.100s'%s",
                  request->method, guess);
}

static void method_serve(const struct rpc_request *request)
{
    const struct rpc_method *method = method_find(request->method);
    struct rpc *rpc = request->rpc;

    if (!method)
        say_unknown_method(request);
    else if (!rpc_fields_check(request, method->fields))
        return;
    else if (method->needs_id && !request->id)
        rpc_say_error(rpc, NULL, "bad_request", "%s: id is missing (a string or an integer)",
                      method->name);
    else if (rpc->state != RPC_SERVING && !method->when_ending)
        rpc_say_error(rpc, request->id, "shutting_down", "%s: the service is coming to its end",
                      method->name);
    else
        method->serve(request);
}

/* An id that is in use is that of another request: the error is not its answer. */
static void request_serve(struct rpc_request *request)
{
    const json_t *method = json_object_get(request->object, "method");

    if (request->id && rpc_run_find(request->rpc, request->id))
        rpc_say_error(request->rpc, NULL, "duplicate_id",
                      "id %.200s is that of a run that has not ended; the request is ignored",
                      request->id);
    else if (!method)
        rpc_say_error(request->rpc, request->id, "bad_request", "method is missing (a string)");
    else if (!json_is_string(method))
        rpc_say_error(request->rpc, request->id, "bad_request", "method takes a string, not %s",
                      rpc_json_type(method));
    else {
        request->method = json_string_value(method);
        method_serve(request);
    }
}

static void object_serve(struct rpc *rpc, json_t *object)
{
    struct rpc_request request = {.rpc = rpc, .object = object};
    const json_t *id = json_object_get(object, "id");
    char *id_text = NULL;

    if (json_is_string(id) || json_is_integer(id))
        id_text = rpc_json_text(id, NULL);
    if (id && !id_text && !json_is_null(id)) {
        rpc_say_error(rpc, NULL, "bad_request", "id takes a string or an integer, not %s",
                      rpc_json_type(id));
        return;
    }
    request.id = id_text;
    request_serve(&request);
    free(id_text);
}

static bool is_blank(const char *line, size_t length)
{
    while (length &&
           (line[length - 1] == ' ' || line[length - 1] == '\r' || line[length - 1] == '\t'))
        length--;
    return length == 0;
}

void rpc_request_serve(struct rpc *rpc, const char *line, size_t length)
{
    char problem[512];
    _cleanup_rpc_json_ json_t *json = NULL;

    if (is_blank(line, length))
        return;
    json = rpc_json_parse(line, length, problem, sizeof problem);
    if (!json)
        rpc_say_error(rpc, NULL, "bad_json", "the line is not JSON: %s", problem);
    else if (!json_is_object(json))
        rpc_say_error(rpc, NULL, "bad_request", "a line is one object, not %s",
                      rpc_json_type(json));
    else
        object_serve(rpc, json);
}
