/* SPDX-License-Identifier: MIT
 *
 * Types and defaults in Python's spelling.
 */
#include "spec/spec.h"

#include "base/buf.h"

#include <errno.h>
#include <string.h>

static const char *const type_names[][2] = {
    [SPEC_STRING] = {"str", "Optional[str]"},
    [SPEC_INTEGER] = {"int", "Optional[int]"},
    [SPEC_NUMBER] = {"float", "Optional[float]"},
    [SPEC_BOOLEAN] = {"bool", "Optional[bool]"},
    [SPEC_ARRAY] = {"list", "Optional[list]"},
    [SPEC_OBJECT] = {"dict", "Optional[dict]"},
    [SPEC_ANY] = {"Any", "Any"},
};

const char *spec_python_type(const struct spec_param *param)
{
    bool optional = param->nullable || (!param->required && !param->default_json);
    return type_names[param->type][optional];
}

static int string_append(struct buf *buf, const char *text, size_t length)
{
    int r = buf_append(buf, "'", 1);
    for (size_t i = 0; i < length && r == 0; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\\' || c == '\'')
            r = buf_append_format(buf, "\\%c", c);
        else if (c == '\n')
            r = buf_append_text(buf, "\\n");
        else if (c < 0x20 || c == 0x7f)
            r = buf_append_format(buf, "\\x%02x", c);
        else
            r = buf_append(buf, &text[i], 1);
    }
    return r < 0 ? r : buf_append(buf, "'", 1);
}

static int value_append(struct buf *buf, const json_t *value);

static int array_append(struct buf *buf, const json_t *array)
{
    size_t index;
    json_t *item;
    int r = buf_append_text(buf, "[");

    json_array_foreach(array, index, item)
    {
        if (r == 0 && index > 0)
            r = buf_append_text(buf, ", ");
        if (r == 0)
            r = value_append(buf, item);
    }
    return r < 0 ? r : buf_append_text(buf, "]");
}

static int object_append(struct buf *buf, const json_t *object)
{
    const char *key, *separator = "";
    json_t *item;
    int r = buf_append_text(buf, "{");

    json_object_foreach((json_t *)object, key, item)
    {
        if (r == 0)
            r = buf_append_text(buf, separator);
        if (r == 0)
            r = string_append(buf, key, strlen(key));
        if (r == 0)
            r = buf_append_text(buf, ": ");
        if (r == 0)
            r = value_append(buf, item);
        separator = ", ";
    }
    return r < 0 ? r : buf_append_text(buf, "}");
}

/* Recursion is bounded by json_parse's depth limit. */
static int value_append(struct buf *buf, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_NULL:
        return buf_append_text(buf, "None");
    case JSON_TRUE:
        return buf_append_text(buf, "True");
    case JSON_FALSE:
        return buf_append_text(buf, "False");
    case JSON_STRING:
        return string_append(buf, json_string_value(value), json_string_length(value));
    case JSON_ARRAY:
        return array_append(buf, value);
    case JSON_OBJECT:
        return object_append(buf, value);
    default:
        return json_append(buf, value); /* numbers are spelled alike */
    }
}

int spec_python_default(struct buf *buf, const struct spec_param *param)
{
    if (param->required)
        return 0;
    if (!param->default_json)
        return buf_append_text(buf, "None");
    _cleanup_json_ json_t *value =
        json_parse(param->default_json, strlen(param->default_json), JSON_DEPTH_MAX, NULL);
    return value ? value_append(buf, value) : -ENOMEM;
}
