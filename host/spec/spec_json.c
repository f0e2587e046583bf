/* SPDX-License-Identifier: MIT
 *
 * Specs that come from outside as JSON Schema: an embedder's, an MCP server's. Memory: everything
 * that a spec from JSON points to is its own heap copy.
 */
#include "spec/spec_internal.h"

#include "base/err.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES_MAX 128

static int no_memory(struct err *err)
{
    return err_set(err, -ENOMEM, "no memory");
}

static void free_const(const void *pointer)
{
    free((void *)(uintptr_t)pointer);
}

struct tool_spec *spec_free(struct tool_spec *spec)
{
    if (!spec)
        return NULL;
    spec_params_free(spec);
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

int spec_name_check(const char *name, size_t length, const char *what, struct err *err)
{
    if (length == 0 || length > NAME_BYTES_MAX || strlen(name) != length)
        return err_set(err, -EINVAL, "a %s name must have 1 to %d bytes", what, NAME_BYTES_MAX);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return err_set(err, -EINVAL, "a %s name must not hold control characters", what);
    return 0;
}

/* One line: descriptions may be paragraphs, and docs stand beside an argument's name. */
char *spec_one_line(const char *text)
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
    int r = spec_name_check(json_string_value(name), json_string_length(name), "tool", err);
    if (r < 0)
        return r;
    spec->name = strdup(json_string_value(name));
    spec->python_name = spec_make_python_name(json_string_value(name), true);
    spec->summary = strdup(description ? json_string_value(description) : "");
    spec->result_doc = spec_one_line(json_string_value(json_object_get(json, "result")));
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
        spec_params_read(spec, json_object_get(json, "parameters"), err) < 0) {
        err_context(err, "tool '%s'", spec->name);
        return NULL;
    }
    struct tool_spec *made = spec;
    spec = NULL;
    return made;
}
