/* SPDX-License-Identifier: MIT
 *
 * Specs that come from outside as JSON Schema: an embedder's, an MCP server's. Memory: everything
 * that a spec from JSON points to is its own heap copy.
 */
#include "spec/spec.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES_MAX 128
#define PARAMS_MAX     256
#define CHOICES_MAX    256

static int no_memory(struct err *err)
{
    return err_set(err, -ENOMEM, "no memory");
}

/* ---- ownership ---------------------------------------------------------------------------------
 */

static void *free_const(const void *pointer)
{
    free((void *)(uintptr_t)pointer);
    return NULL;
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

struct tool_spec *spec_free(struct tool_spec *spec)
{
    if (!spec)
        return NULL;
    for (size_t i = 0; i < spec->param_count; i++)
        param_deinit((struct spec_param *)(uintptr_t)&spec->params[i]);
    free_const(spec->params);
    free_const(spec->name);
    free_const(spec->python_name);
    free_const(spec->summary);
    free_const(spec->result_doc);
    free(spec);
    return NULL;
}

static void spec_cleanup(struct tool_spec **spec)
{
    spec_free(*spec);
}
#define _cleanup_spec_ __attribute__((cleanup(spec_cleanup)))

/* ---- from JSON ---------------------------------------------------------------------------------
 */

static int name_check(const char *name, size_t length, const char *what, struct err *err)
{
    if (length == 0 || length > NAME_BYTES_MAX || strlen(name) != length)
        return err_set(err, -EINVAL, "a %s name must have 1 to %d bytes", what, NAME_BYTES_MAX);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return err_set(err, -EINVAL, "a %s name must not hold control characters", what);
    return 0;
}

/* One line: descriptions may be paragraphs, and docs stand beside an argument's name. */
static char *one_line(const char *text)
{
    char *copy = strdup(text ? text : "");
    size_t length = 0;

    if (!copy)
        return NULL;
    for (const char *p = copy; *p; p++) {
        bool blank = *p == ' ' || *p == '\n' || *p == '\r' || *p == '\t';
        if (!blank)
            copy[length++] = *p;
        else if (length > 0 && copy[length - 1] != ' ')
            copy[length++] = ' ';
    }
    while (length > 0 && copy[length - 1] == ' ')
        length--;
    copy[length] = '\0';
    return copy;
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
    param->doc = one_line(json_string_value(json_object_get(schema, "description")));
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
        int r = name_check(name, strlen(name), "parameter", err);
        if (r == 0)
            r = param_read(&params[spec->param_count++], name, schema, required);
        if (r == -ENOMEM)
            return no_memory(err);
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

static int params_read(struct tool_spec *spec, const json_t *parameters, struct err *err)
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
        return no_memory(err);
    spec->params = params;
    if (is_open(parameters))
        spec->flags |= SPEC_OPEN;
    int r = params_pass(spec, params, parameters, true, err);
    if (r == 0)
        r = params_pass(spec, params, parameters, false, err);
    if (r == 0 && python_names_part(params, spec->param_count) < 0)
        r = no_memory(err);
    return r;
}

static const struct {
    const char *name;
    unsigned flag;
} flag_names[] = {
    {"read_only", SPEC_READ_ONLY},
    {"parallel_safe", SPEC_PARALLEL_SAFE},
    {"needs_approval", SPEC_NEEDS_APPROVAL},
    {"returns_errors", SPEC_RAISES}, /* the one that clears its bit */
};
#define FLAG_COUNT (sizeof(flag_names) / sizeof(flag_names[0]))

static int flag_read(struct tool_spec *spec, const char *name, struct err *err)
{
    const char *names[FLAG_COUNT];

    for (size_t i = 0; i < FLAG_COUNT; i++) {
        names[i] = flag_names[i].name;
        if (str_equal(names[i], name)) {
            spec->flags ^= flag_names[i].flag;
            return 0;
        }
    }
    const char *nearest = name ? str_nearest(name, names, FLAG_COUNT) : NULL;
    return err_set(err, -EINVAL, "unknown flag '%s'%s%s%s", name ? name : "(no text)",
                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static int flags_read(struct tool_spec *spec, const json_t *list, struct err *err)
{
    spec->flags = SPEC_RAISES;
    if (list && !json_is_array(list))
        return err_set(err, -EINVAL, "flags must be an array of names");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again = again || json_equal(json_array_get(list, k), item);
        int r = again ? 0 : flag_read(spec, json_string_value(item), err);
        if (r < 0)
            return r;
    }
    return 0;
}

static int place_read(struct tool_spec *spec, const json_t *place, struct err *err)
{
    spec->place = SPEC_BROKER;
    if (!place || str_equal(json_string_value(place), "broker"))
        return 0;
    if (!str_equal(json_string_value(place), "local"))
        return err_set(err, -EINVAL, "place must be \"local\" or \"broker\"");
    spec->place = SPEC_LOCAL;
    return 0;
}

static int texts_read(struct tool_spec *spec, const json_t *json, struct err *err)
{
    const json_t *name = json_object_get(json, "name");
    const json_t *description = json_object_get(json, "description");

    if (!json_is_string(name))
        return err_set(err, -EINVAL, "a tool needs a name");
    if (description && !json_is_string(description))
        return err_set(err, -EINVAL, "description must be a string");
    int r = name_check(json_string_value(name), json_string_length(name), "tool", err);
    if (r < 0)
        return r;
    spec->name = strdup(json_string_value(name));
    spec->python_name = spec_make_python_name(json_string_value(name), true);
    spec->summary = strdup(description ? json_string_value(description) : "");
    spec->result_doc = one_line(json_string_value(json_object_get(json, "result")));
    if (!spec->name || !spec->python_name || !spec->summary || !spec->result_doc)
        return no_memory(err);
    return 0;
}

static int keys_check(const json_t *json, struct err *err)
{
    static const char *const known[] = {"name",   "description", "parameters",
                                        "result", "place",       "flags"};
    static const size_t count = sizeof(known) / sizeof(known[0]);
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)json, key, value)
    {
        size_t i = 0;
        while (i < count && strcmp(known[i], key) != 0)
            i++;
        if (i < count)
            continue;
        const char *nearest = str_nearest(key, known, count);
        return err_set(err, -EINVAL, "unknown key '%s'%s%s%s", key,
                       nearest ? "; did you mean '" : "", nearest ? nearest : "",
                       nearest ? "'?" : "");
    }
    return 0;
}

struct tool_spec *spec_from_json(const json_t *json, struct err *err)
{
    if (!json_is_object(json)) {
        err_set(err, -EINVAL, "a tool must be described by a JSON object");
        return NULL;
    }
    _cleanup_spec_ struct tool_spec *spec = calloc(1, sizeof(*spec));
    if (!spec) {
        no_memory(err);
        return NULL;
    }
    if (keys_check(json, err) < 0 || texts_read(spec, json, err) < 0)
        return NULL;
    if (flags_read(spec, json_object_get(json, "flags"), err) < 0 ||
        place_read(spec, json_object_get(json, "place"), err) < 0 ||
        params_read(spec, json_object_get(json, "parameters"), err) < 0) {
        err_context(err, "tool '%s'", spec->name);
        return NULL;
    }
    struct tool_spec *made = spec;
    spec = NULL;
    return made;
}
