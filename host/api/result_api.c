/* SPDX-License-Identifier: MIT
 *
 * ptc_result: the JSON and the getters over it.
 */
#include "api/host.h"

#include <stdlib.h>
#include <string.h>

/* Fifteen digits: seconds that were rounded to two decimals look like it (0.06). */
#define RESULT_DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

ptc_result *result_spare(void)
{
    return calloc(1, sizeof(ptc_result));
}

ptc_result *result_wrap(json_t *json)
{
    ptc_result *result = json ? calloc(1, sizeof *result) : NULL;
    json_t *value;

    if (!result) {
        json_decref(json);
        return NULL;
    }
    result->json = json;
    result->text = json_dumps(json, RESULT_DUMP_FLAGS);
    if (!result->text) {
        ptc_result_free(result);
        return NULL;
    }
    result->length = strlen(result->text);
    value = json_object_get(json, "value");
    if (value)
        result->value_text = json_dumps(value, RESULT_DUMP_FLAGS);
    if (value && !result->value_text) {
        ptc_result_free(result);
        return NULL;
    }
    return result;
}

void ptc_result_free(ptc_result *result)
{
    if (!result)
        return;
    json_decref(result->json);
    free(result->text);
    free(result->value_text);
    free(result);
}

#define SPARE_ERROR "there was no memory for the result"
static const char spare_text[] =
    "{\"status\":\"error\",\"output\":\"\",\"tool_calls_made\":0,\"duration_seconds\":0.0,"
    "\"error\":\"" SPARE_ERROR "\"}";

static const char *spare_get(const char *key)
{
    return strcmp(key, "status") == 0   ? "error"
           : strcmp(key, "output") == 0 ? ""
           : strcmp(key, "error") == 0  ? SPARE_ERROR
                                        : NULL;
}

static const char *text_get(const ptc_result *result, const char *key, size_t *ret_length)
{
    json_t *value = json_object_get(result->json, key);
    const char *text = result->json ? json_string_value(value) : spare_get(key);

    if (ret_length)
        *ret_length = result->json ? json_string_length(value) : text ? strlen(text) : 0;
    return text;
}

const char *ptc_result_json(const ptc_result *result, size_t *ret_length)
{
    if (ret_length)
        *ret_length = result->json ? result->length : sizeof spare_text - 1;
    return result->json ? result->text : spare_text;
}

const char *ptc_result_status(const ptc_result *result)
{
    return text_get(result, "status", NULL);
}

const char *ptc_result_output(const ptc_result *result, size_t *ret_length)
{
    return text_get(result, "output", ret_length);
}

const char *ptc_result_stderr(const ptc_result *result, size_t *ret_length)
{
    const char *text = text_get(result, "stderr", ret_length);

    return text ? text : "";
}

const char *ptc_result_error(const ptc_result *result)
{
    return text_get(result, "error", NULL);
}

const char *ptc_result_hint(const ptc_result *result)
{
    return text_get(result, "hint", NULL);
}

const char *ptc_result_signal(const ptc_result *result)
{
    return text_get(result, "signal", NULL);
}

int ptc_result_exit_code(const ptc_result *result)
{
    json_t *value = json_object_get(result->json, "exit_code");

    return json_is_integer(value) ? (int)json_integer_value(value) : -1;
}

double ptc_result_duration_seconds(const ptc_result *result)
{
    return json_real_value(json_object_get(result->json, "duration_seconds"));
}

uint64_t ptc_result_tool_calls(const ptc_result *result)
{
    return (uint64_t)json_integer_value(json_object_get(result->json, "tool_calls_made"));
}

const char *ptc_result_value_json(const ptc_result *result, size_t *ret_length)
{
    if (ret_length)
        *ret_length = result->value_text ? strlen(result->value_text) : 0;
    return result->value_text;
}
