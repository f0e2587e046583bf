/* SPDX-License-Identifier: MIT
 *
 * JSON Schema of a tool's parameters, and whole specs as JSON for the run's own process.
 */
#include "spec/schema.h"

#include "spec/spec_internal.h"

#include <string.h>

/* jansson's setters take the value's reference in every case, NULL included: so chains of `set`
 * need no cleanup of their own. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static bool set_type(json_t *schema, const struct spec_param *param)
{
    static const char *const names[] = {
        [SPEC_STRING] = "string",   [SPEC_INTEGER] = "integer", [SPEC_NUMBER] = "number",
        [SPEC_BOOLEAN] = "boolean", [SPEC_ARRAY] = "array",     [SPEC_OBJECT] = "object",
    };
    if (param->type == SPEC_ANY) /* no "type" at all allows everything, null included */
        return true;
    json_t *type = json_string(names[param->type]);
    if (param->nullable) {
        json_t *both = json_array();
        bool ok = json_array_append_new(both, type) == 0 &&
                  json_array_append_new(both, json_string("null")) == 0;
        type = ok ? both : (json_decref(both), NULL);
    }
    if (!set(schema, "type", type))
        return false;
    /* Some model vendors refuse an array that does not say what is in it. */
    return param->type != SPEC_ARRAY || set(schema, "items", json_object());
}

static bool set_choices(json_t *schema, const struct spec_param *param)
{
    if (!param->choices)
        return true;
    json_t *list = json_array();
    if (!list || !set(schema, "enum", list))
        return false;
    for (size_t i = 0; param->choices[i]; i++)
        if (json_array_append_new(list, json_string(param->choices[i])) < 0)
            return false;
    return !param->nullable || json_array_append_new(list, json_null()) == 0;
}

static bool set_default(json_t *schema, const struct spec_param *param)
{
    if (param->required || !param->default_json)
        return true;
    return set(schema, "default",
               json_parse(param->default_json, strlen(param->default_json), JSON_DEPTH_MAX, NULL));
}

static json_t *param_schema(const struct spec_param *param)
{
    _cleanup_json_ json_t *schema = json_object();

    if (!schema || !set_type(schema, param) || !set_choices(schema, param))
        return NULL;
    if (param->doc && *param->doc && !set(schema, "description", json_string(param->doc)))
        return NULL;
    if (!set_default(schema, param))
        return NULL;
    if (param->hidden && !set(schema, "x-hidden", json_true()))
        return NULL;
    return json_incref(schema);
}

json_t *schema_parameters(const struct tool_spec *spec, bool with_hidden)
{
    _cleanup_json_ json_t *schema = json_object();
    json_t *properties = json_object(), *required = json_array();

    if (!set(schema, "type", json_string("object")) | !set(schema, "properties", properties) |
        !set(schema, "required", required) |
        !set(schema, "additionalProperties", json_boolean(spec->flags & SPEC_OPEN)))
        return NULL; /* all four were consumed: hence | and not || */
    for (size_t i = 0; i < spec->param_count; i++) {
        const struct spec_param *param = &spec->params[i];
        if (param->hidden && !with_hidden)
            continue;
        if (!set(properties, param->name, param_schema(param)))
            return NULL;
        if (param->required && json_array_append_new(required, json_string(param->name)) < 0)
            return NULL;
    }
    return json_incref(schema);
}

json_t *schema_tool_parameters(const struct tool_spec *spec)
{
    return schema_parameters(spec, false);
}

/* ---- whole specs -------------------------------------------------------------------------------
 */

static json_t *flags_json(unsigned flags)
{
    _cleanup_json_ json_t *list = json_array();
    static const struct {
        unsigned mask, value;
        const char *name;
    } names[] = {
        {SPEC_READ_ONLY, SPEC_READ_ONLY, "read_only"},
        {SPEC_PARALLEL_SAFE, SPEC_PARALLEL_SAFE, "parallel_safe"},
        {SPEC_NEEDS_APPROVAL, SPEC_NEEDS_APPROVAL, "needs_approval"},
        {SPEC_RAISES, 0, "returns_errors"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if ((flags & names[i].mask) == names[i].value &&
            json_array_append_new(list, json_string(names[i].name)) < 0)
            return NULL;
    return list ? json_incref(list) : NULL;
}

json_t *spec_to_json(const struct tool_spec *spec)
{
    _cleanup_json_ json_t *json = json_object();

    if (!set(json, "name", json_string(spec->name)) ||
        !set(json, "description", json_string(spec->summary)) ||
        !set(json, "parameters", schema_parameters(spec, true)) ||
        !set(json, "result", json_string(spec->result_doc)) ||
        !set(json, "place", json_string(spec->place == SPEC_LOCAL ? "local" : "broker")) ||
        !set(json, "flags", flags_json(spec->flags)))
        return NULL;
    return json_incref(json);
}
