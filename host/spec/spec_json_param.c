/* SPDX-License-Identifier: MIT
 *
 * Parameters from JSON Schema. The schemas of the wild say more than a Python signature can: what
 * spec_type cannot say becomes an argument of any type, and the tool itself judges it.
 */
#include "spec/spec_internal.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PARAMS_MAX  256
#define CHOICES_MAX 256

static void free_const(const void *pointer)
{
    free((void *)(uintptr_t)pointer);
}

static void param_deinit(struct spec_param *param)
{
    for (size_t i = 0; param->choices && param->choices[i]; i++)
        free_const(param->choices[i]);
    free_const(param->choices);
    free_const(param->name);
    free_const(param->python_name);
    free_const(param->default_json);
    free_const(param->doc);
}

void spec_params_free(struct tool_spec *spec)
{
    for (size_t i = 0; i < spec->param_count; i++)
        param_deinit((struct spec_param *)(uintptr_t)&spec->params[i]);
    free_const(spec->params);
    spec->params = NULL;
    spec->param_count = 0;
}

static enum spec_type type_from_name(const char *name)
{
    static const struct {
        const char *name;
        enum spec_type type;
    } types[] = {
        {"string", SPEC_STRING},   {"integer", SPEC_INTEGER}, {"number", SPEC_NUMBER},
        {"boolean", SPEC_BOOLEAN}, {"array", SPEC_ARRAY},     {"object", SPEC_OBJECT},
    };
    for (size_t i = 0; name && i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].type;
    return SPEC_ANY;
}

/* "type" is a name, or a list: [T, "null"] is a T that may be None; other lists are anything. */
static void type_read(struct spec_param *param, const json_t *schema)
{
    const json_t *type = json_object_get(schema, "type");
    const char *name = json_string_value(type);
    size_t others = 0;

    for (size_t i = 0; i < json_array_size(type); i++) {
        const char *item = json_string_value(json_array_get(type, i));
        if (item && strcmp(item, "null") == 0) {
            param->nullable = true;
        } else {
            name = item;
            others++;
        }
    }
    param->type = others > 1 ? SPEC_ANY : type_from_name(name);
    if (json_is_true(json_object_get(schema, "nullable")))
        param->nullable = true;
}

/* Combinations say more than spec_type can. */
static bool is_combined(const json_t *schema)
{
    static const char *const words[] = {"$ref", "anyOf", "oneOf", "allOf", "not", "if"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (json_object_get(schema, words[i]))
            return true;
    return false;
}

static bool is_text_enum(const json_t *list)
{
    size_t strings = 0;

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_string(item) && !json_is_null(item))
            return false;
        strings += json_is_string(item);
    }
    return strings > 0;
}

/* An enum of strings (null among them allowed) becomes choices; any other is left to the tool. */
static int choices_read(struct spec_param *param, const json_t *list)
{
    size_t count = json_array_size(list), kept = 0;

    if (count == 0 || count > CHOICES_MAX ||
        (param->type != SPEC_STRING && param->type != SPEC_ANY))
        return 0;
    if (!is_text_enum(list))
        return 0;
    char **choices = calloc(count + 1, sizeof(*choices));
    if (!choices)
        return -ENOMEM;
    param->choices = (const char *const *)choices;
    param->type = SPEC_STRING;
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text) {
            param->nullable = true;
            continue;
        }
        choices[kept] = strdup(text);
        if (!choices[kept++])
            return -ENOMEM;
    }
    return 0;
}

static int default_read(struct spec_param *param, const json_t *value)
{
    _cleanup_buf_ struct buf text = BUF_INIT(0);

    if (!value || param->required)
        return 0;
    if (json_is_null(value))
        param->nullable = true;
    int r = json_append(&text, value);
    if (r < 0)
        return r;
    param->default_json = buf_steal_text(&text, NULL);
    return param->default_json ? 0 : -ENOMEM;
}

/* schema may be `true` or any other shape: that is an argument of any type. */
static int param_read(struct spec_param *param, const char *name, const json_t *schema,
                      bool required)
{
    param->required = required;
    param->type = SPEC_ANY;
    if (json_is_object(schema) && !is_combined(schema)) {
        type_read(param, schema);
        int r = choices_read(param, json_object_get(schema, "enum"));
        if (r < 0)
            return r;
    }
    param->hidden = json_is_true(json_object_get(schema, "x-hidden"));
    param->name = strdup(name);
    param->python_name = spec_make_python_name(name, false);
    param->doc = spec_one_line(json_string_value(json_object_get(schema, "description")));
    if (!param->name || !param->python_name || !param->doc)
        return -ENOMEM;
    return default_read(param, json_object_get(schema, "default"));
}

static bool is_required(const json_t *parameters, const char *name)
{
    const json_t *list = json_object_get(parameters, "required");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (str_equal(json_string_value(json_array_get(list, i)), name))
            return true;
    return false;
}

/* "a-b" and "a_b" are two arguments with one Python name: the later one gets underscores. */
static int python_names_part(struct spec_param *params, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(params[k].python_name, params[i].python_name) != 0)
                continue;
            char *longer = str_format("%s_", params[i].python_name);
            if (!longer)
                return -ENOMEM;
            free_const(params[i].python_name);
            params[i].python_name = longer;
            k = (size_t)-1; /* the longer one is compared with all again */
        }
    }
    return 0;
}

/* One pass for the required ones, one for the others. */
static int params_pass(struct tool_spec *spec, struct spec_param *params, const json_t *parameters,
                       bool required, struct err *err)
{
    const char *name;
    json_t *schema;

    json_object_foreach(json_object_get(parameters, "properties"), name, schema)
    {
        if (is_required(parameters, name) != required)
            continue;
        int r = spec_name_check(name, strlen(name), "parameter", err);
        if (r == 0)
            r = param_read(&params[spec->param_count++], name, schema, required);
        if (r == -ENOMEM)
            return err_set(err, -ENOMEM, "no memory");
        if (r < 0)
            return r;
    }
    return 0;
}

static bool is_open(const json_t *parameters)
{
    const json_t *more = json_object_get(parameters, "additionalProperties");
    if (more)
        return !json_is_false(more);
    return is_combined(parameters) || !json_object_get(parameters, "properties");
}

int spec_params_read(struct tool_spec *spec, const json_t *parameters, struct err *err)
{
    if (!parameters || json_is_null(parameters))
        return 0;
    if (!json_is_object(parameters))
        return err_set(err, -EINVAL, "parameters must be a JSON Schema object");
    const json_t *properties = json_object_get(parameters, "properties");
    if (properties && !json_is_object(properties))
        return err_set(err, -EINVAL, "parameters.properties must be an object");
    size_t count = json_object_size(properties);
    if (count > PARAMS_MAX)
        return err_set(err, -EINVAL, "a tool may have at most %d parameters", PARAMS_MAX);

    struct spec_param *params = calloc(count + 1, sizeof(*params));
    if (!params)
        return err_set(err, -ENOMEM, "no memory");
    spec->params = params;
    if (is_open(parameters))
        spec->flags |= SPEC_OPEN;
    int r = params_pass(spec, params, parameters, true, err);
    if (r == 0)
        r = params_pass(spec, params, parameters, false, err);
    if (r == 0 && python_names_part(params, spec->param_count) < 0)
        r = err_set(err, -ENOMEM, "no memory");
    return r;
}
