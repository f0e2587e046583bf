/* SPDX-License-Identifier: MIT
 *
 * What a request has to look like, as tables, and the words for what does not.
 */
#include "cli/nearest.h"
#include "cli/rpc.h"

#include <stdio.h>
#include <string.h>

#define FIELDS_MAX 16

static const char *const type_words[] = {
    [RPC_STRING] = "a string",
    [RPC_TEXT] = "a string",
    [RPC_INTEGER] = "an integer",
    [RPC_BOOLEAN] = "true or false",
    [RPC_OBJECT] = "an object",
    [RPC_STRINGS] = "an array of strings",
    [RPC_CHOICE] = "true, false or an array of strings",
    [RPC_ID] = "a string or an integer",
    [RPC_ANY] = "anything",
};

const char *rpc_did_you_mean(const char *wanted, const char *const *names, char *buffer,
                             size_t size)
{
    struct nearest nearest;

    nearest_init(&nearest, wanted);
    for (; *names; names++)
        nearest_offer(&nearest, *names);
    buffer[0] = '\0';
    if (nearest.best)
        snprintf(buffer, size, "; did you mean '%s'?", nearest.best);
    return buffer;
}

static bool is_string(const json_t *value)
{
    return json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value);
}

/* Returns the first that is no string, or NULL. */
static const json_t *strings_fault(const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (!is_string(json_array_get(array, i)))
            return json_array_get(array, i);
    return NULL;
}

static bool type_fits(enum rpc_type type, const json_t *value)
{
    switch (type) {
    case RPC_STRING:
        return is_string(value);
    case RPC_TEXT:
        return json_is_string(value);
    case RPC_INTEGER:
        return json_is_integer(value);
    case RPC_BOOLEAN:
        return json_is_boolean(value);
    case RPC_OBJECT:
        return json_is_object(value);
    case RPC_STRINGS:
        return json_is_array(value) && !strings_fault(value);
    case RPC_CHOICE:
        return json_is_boolean(value) || (json_is_array(value) && !strings_fault(value));
    case RPC_ID:
        return is_string(value) || json_is_integer(value);
    case RPC_ANY:
        return true;
    }
    return false;
}

static void say_type(const struct rpc_request *request, const struct rpc_field *field,
                     const json_t *value)
{
    const json_t *fault = json_is_array(value) ? strings_fault(value) : NULL;
    const char *given = rpc_json_type(value), *inside = "";

    if (fault && (field->type == RPC_STRINGS || field->type == RPC_CHOICE)) {
        given = rpc_json_type(fault);
        inside = " in the array";
        value = fault;
    }
    rpc_say_error(request->rpc, request->id, "bad_request", "%s: %s takes %s, not %s%s%s",
                  request->method, field->name, type_words[field->type], given,
                  json_is_string(value) ? " with a NUL in it" : "", inside);
}

static void say_unknown(const struct rpc_request *request, const struct rpc_field *fields,
                        const char *name)
{
    const char *names[FIELDS_MAX + 1] = {NULL};
    char list[512] = "id, method", guess[128];
    size_t count = 0;

    for (; fields[count].name && count < FIELDS_MAX; count++) {
        names[count] = fields[count].name;
        strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, fields[count].name, sizeof list - strlen(list) - 1);
    }
    rpc_did_you_mean(name, names, guess, sizeof guess);
    rpc_say_error(request->rpc, request->id, "bad_request",
                  "%s: there is no field '%.100s'%s%s fields are: %s", request->method, name, guess,
                  *guess ? " Its" : "; its", list);
}

static const struct rpc_field *field_find(const struct rpc_field *fields, const char *name)
{
    for (; fields->name; fields++)
        if (strcmp(fields->name, name) == 0)
            return fields;
    return NULL;
}

static bool check_given(const struct rpc_request *request, const struct rpc_field *fields)
{
    const char *name;
    json_t *value;

    json_object_foreach(request->object, name, value)
    {
        const struct rpc_field *field = field_find(fields, name);

        if (strcmp(name, "id") == 0 || strcmp(name, "method") == 0)
            continue;
        if (field && type_fits(field->type, value))
            continue;
        if (field)
            say_type(request, field, value);
        else
            say_unknown(request, fields, name);
        return false;
    }
    return true;
}

bool rpc_fields_check(const struct rpc_request *request, const struct rpc_field *fields)
{
    if (!check_given(request, fields))
        return false;
    for (; fields->name; fields++) {
        if (!fields->required || json_object_get(request->object, fields->name))
            continue;
        rpc_say_error(request->rpc, request->id, "bad_request", "%s: %s is missing (%s)",
                      request->method, fields->name, type_words[fields->type]);
        return false;
    }
    return true;
}

const char *rpc_string(const struct rpc_request *request, const char *name)
{
    return json_string_value(json_object_get(request->object, name));
}

ptc_settings *rpc_settings(const struct rpc_request *request)
{
    struct ptc_error error = PTC_ERROR_INIT;
    const json_t *options = json_object_get(request->object, "options");
    ptc_settings *settings = ptc_settings_copy(request->rpc->settings, &error);
    size_t length = 0;
    char *text = options && settings ? rpc_json_text(options, &length) : NULL;

    if (settings && (!text || ptc_settings_set_json(settings, text, length, &error) == PTC_OK)) {
        free(text);
        return settings;
    }
    free(text);
    ptc_settings_free(settings);
    rpc_say_ptc_error(request->rpc, request->id, &error);
    return NULL;
}
