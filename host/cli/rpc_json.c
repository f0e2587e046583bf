/* SPDX-License-Identifier: MIT
 *
 * Parsing, naming and writing JSON for the lines of the protocol.
 */
#include "cli/rpc_json.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How many values there can be at most: what stands outside of strings and parts them. */
static size_t values_bound(const char *text, size_t length)
{
    size_t count = 1;
    bool in_string = false;

    for (size_t i = 0; i < length; i++) {
        if (in_string && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            in_string = !in_string;
        else if (!in_string && (text[i] == ',' || text[i] == '[' || text[i] == '{'))
            count++;
    }
    return count;
}

json_t *rpc_json_parse(const char *text, size_t length, char *problem, size_t size)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL;
    json_error_t error;
    json_t *json;

    if (values_bound(text, length) > RPC_JSON_VALUES_MAX) {
        snprintf(problem, size, "it has more than %d values", RPC_JSON_VALUES_MAX);
        return NULL;
    }
    json = json_loadb(text, length, flags, &error);
    if (!json)
        snprintf(problem, size, "%s (column %d)", error.text, error.column);
    return json;
}

const char *rpc_json_type(const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a number with a fraction";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    default:
        return "null";
    }
}

char *rpc_json_text(const json_t *json, size_t *ret_length)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);

    if (ret_length)
        *ret_length = text ? strlen(text) : 0; /* a NUL in a string is \u0000 here */
    return text;
}
