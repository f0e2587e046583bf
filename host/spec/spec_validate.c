/* SPDX-License-Identifier: MIT
 *
 * Arguments against a spec. What comes in was written by a stranger; what goes out has exactly the
 * spec's keys, in its order, with its types and defaults. Messages are read by the author of the
 * script, so they name the function, the argument, the type wanted and the type got, as Python
 * does.
 */
#include "spec/toolset.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One value on its way from the caller to the tool. */
struct check {
    const struct tool_spec *spec;
    const struct spec_param *param;
    struct buf *warning; /* may be NULL */
    struct err *err;
};

/* A stranger's text for a message: short, and cut between characters. */
static const char *shown(const char *text, char buffer[64])
{
    size_t length = strlen(text);
    if (length > 40) {
        length = utf8_floor(text, 40);
        memcpy(buffer, text, length);
        memcpy(buffer + length, "...", 4);
    } else {
        memcpy(buffer, text, length + 1);
    }
    return buffer;
}

static const char *python_type_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_NULL:
        return "None";
    case JSON_TRUE:
    case JSON_FALSE:
        return "bool";
    case JSON_INTEGER:
        return "int";
    case JSON_REAL:
        return "float";
    case JSON_STRING:
        return "str";
    case JSON_ARRAY:
        return "list";
    case JSON_OBJECT:
        return "dict";
    }
    return "?";
}

static const char *const type_names[] = {
    [SPEC_STRING] = "str", [SPEC_INTEGER] = "int", [SPEC_NUMBER] = "float", [SPEC_BOOLEAN] = "bool",
    [SPEC_ARRAY] = "list", [SPEC_OBJECT] = "dict", [SPEC_ANY] = "Any",
};

static int type_refuse(const struct check *check, const json_t *value)
{
    bool dumps =
        check->param->type == SPEC_STRING && (json_is_object(value) || json_is_array(value));

    return err_set(check->err, -EINVAL, "%s() argument '%s' must be %s%s, not %s%s",
                   spec_python_name(check->spec), spec_param_python_name(check->param),
                   type_names[check->param->type], check->param->nullable ? " or None" : "",
                   python_type_of(value), dumps ? "; make text of it first, with json.dumps" : "");
}

static __attribute__((format(printf, 2, 3))) int warn(const struct check *check, const char *format,
                                                      ...)
{
    if (!check->warning)
        return 0;
    va_list args;
    va_start(args, format);
    int r = check->warning->length > 0 ? buf_append_text(check->warning, " ") : 0;
    if (r == 0)
        r = buf_append_vformat(check->warning, format, args);
    va_end(args);
    if (r == -EMSGSIZE) /* the caller wants no more of them */
        return 0;
    return r < 0 ? err_set(check->err, r, "no memory") : 0;
}

/* ---- numbers -----------------------------------------------------------------------------------
 */

/* An integer's text as int() reads it: blanks around, one sign, digits. */
static bool integer_parse(const char *text, size_t length, json_int_t *ret_value)
{
    static const char blanks[] = " \t\r\n";
    char *end;

    if (memchr(text, '\0', length))
        return false;
    text += strspn(text, blanks);
    const char *digits = text + (*text == '-' || *text == '+');
    if (*digits < '0' || *digits > '9') /* strtoll would skip blanks here */
        return false;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno != 0 || end[strspn(end, blanks)] != '\0')
        return false;
    *ret_value = value;
    return true;
}

/* The integer that value stands for; *ret_exact says that it was one already. */
static bool integer_read(const json_t *value, json_int_t *ret_value, bool *ret_exact)
{
    *ret_exact = json_is_integer(value);
    if (*ret_exact) {
        *ret_value = json_integer_value(value);
        return true;
    }
    if (json_is_string(value))
        return integer_parse(json_string_value(value), json_string_length(value), ret_value);
    if (!json_is_real(value))
        return false;
    double real = json_real_value(value);
    if (real != trunc(real) ||
        fabs(real) > 9007199254740992.0) /* 2^53: beyond it digits are lost */
        return false;
    *ret_value = (json_int_t)real;
    return true;
}

static json_t *new_or_error(const struct check *check, json_t *value)
{
    if (!value)
        err_set(check->err, -ENOMEM, "no memory");
    return value;
}

static json_t *default_value(const struct check *check)
{
    const char *text = check->param->default_json;
    return new_or_error(check, json_parse(text, strlen(text), JSON_DEPTH_MAX, NULL));
}

/* The rule of the reference: a number that cannot be read is the default. But it is said. */
static json_t *number_default(const struct check *check, const json_t *value)
{
    const struct spec_param *param = check->param;
    const char *got = python_type_of(value);

    if (param->required || !param->default_json) {
        type_refuse(check, value);
        return NULL;
    }
    if (json_is_string(value))
        got = "text that is no number";
    else if (json_is_real(value))
        got = "a float with a fraction or out of range";
    if (warn(check, "%s must be %s, not %s; its default %s was used.",
             spec_param_python_name(param), type_names[param->type], got,
             strcmp(param->default_json, "null") == 0 ? "None" : param->default_json) < 0)
        return NULL;
    return default_value(check);
}

static json_t *integer_check(const struct check *check, json_t *value)
{
    json_int_t number;
    bool exact;

    if (!integer_read(value, &number, &exact))
        return number_default(check, value);
    if (exact)
        return json_incref(value);
    if (warn(check, "%s was given as %s and read as the int %" JSON_INTEGER_FORMAT ".",
             spec_param_python_name(check->param), json_is_string(value) ? "text" : "float",
             number) < 0)
        return NULL;
    return new_or_error(check, json_integer(number));
}

static json_t *number_check(const struct check *check, json_t *value)
{
    if (json_is_number(value))
        return json_incref(value);
    if (!json_is_string(value))
        return number_default(check, value);

    /* JSON's grammar is strict and does not depend on the locale, as strtod does. */
    json_t *number =
        json_parse(json_string_value(value), json_string_length(value), JSON_DEPTH_MAX, NULL);
    if (!json_is_number(number)) {
        json_decref(number);
        return number_default(check, value);
    }
    if (warn(check, "%s was given as text and read as the number %.40s.",
             spec_param_python_name(check->param), json_string_value(value)) < 0) {
        json_decref(number);
        return NULL;
    }
    return number;
}

/* ---- choices -----------------------------------------------------------------------------------
 */

static size_t choice_count(const struct spec_param *param)
{
    size_t count = 0;
    while (param->choices[count])
        count++;
    return count;
}

static int choice_refuse(const struct check *check, const char *text)
{
    _cleanup_buf_ struct buf list = BUF_INIT(ERR_TEXT_BYTES);
    size_t count = choice_count(check->param);
    const char *nearest = str_nearest(text, check->param->choices, count);
    char given[64];

    for (size_t i = 0; i < count; i++) {
        const char *separator = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        if (buf_append_format(&list, "%s'%s'", separator, check->param->choices[i]) < 0)
            break; /* as many as fit */
    }
    return err_set(check->err, -EINVAL, "%s() argument '%s' must be %.*s, not '%s'%s%s%s",
                   spec_python_name(check->spec), spec_param_python_name(check->param),
                   (int)list.length, list.data ? (const char *)list.data : "", shown(text, given),
                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static json_t *string_check(const struct check *check, json_t *value)
{
    const struct spec_param *param = check->param;
    const char *text = json_string_value(value);

    if (!text) {
        type_refuse(check, value);
        return NULL;
    }
    if (!param->choices)
        return json_incref(value);
    for (size_t i = 0; param->choices[i]; i++)
        if (strcmp(param->choices[i], text) == 0)
            return json_incref(value);
    for (const struct spec_alias *alias = param->aliases; alias && alias->text; alias++)
        if (strcmp(alias->text, text) == 0)
            return new_or_error(check, json_string(alias->means));
    choice_refuse(check, text);
    return NULL;
}

/* ---- one value, all values ---------------------------------------------------------------------
 */

static bool has_plain_type(const json_t *value, enum spec_type type)
{
    switch (type) {
    case SPEC_BOOLEAN:
        return json_is_boolean(value);
    case SPEC_ARRAY:
        return json_is_array(value);
    case SPEC_OBJECT:
        return json_is_object(value);
    default:
        return true;
    }
}

static json_t *value_check(const struct check *check, json_t *value)
{
    if (json_is_null(value) && check->param->nullable)
        return json_incref(value);
    switch (check->param->type) {
    case SPEC_INTEGER:
        return integer_check(check, value);
    case SPEC_NUMBER:
        return number_check(check, value);
    case SPEC_STRING:
        return string_check(check, value);
    default:
        if (has_plain_type(value, check->param->type))
            return json_incref(value);
        type_refuse(check, value);
        return NULL;
    }
}

static const char *nearest_param(const struct tool_spec *spec, const char *key)
{
    const char **names = calloc(spec->param_count + 1, sizeof(*names));
    if (!names) /* then the message goes without advice */
        return NULL;
    for (size_t i = 0; i < spec->param_count; i++)
        names[i] = spec_param_python_name(&spec->params[i]);
    const char *nearest = str_nearest(key, names, spec->param_count);
    free(names);
    return nearest;
}

static int key_refuse(const struct tool_spec *spec, const char *key, struct err *err)
{
    _cleanup_buf_ struct buf names = BUF_INIT(ERR_TEXT_BYTES / 2);
    const char *nearest = nearest_param(spec, key);
    char given[64];

    for (size_t i = 0; i < spec->param_count && !nearest; i++)
        if (buf_append_format(&names, "%s%s", i > 0 ? ", " : "; it takes ",
                              spec_param_python_name(&spec->params[i])) < 0)
            break;
    return err_set(err, -EINVAL, "%s() got an unexpected keyword argument '%s'%s%s%s%.*s",
                   spec_python_name(spec), shown(key, given), nearest ? "; did you mean '" : "",
                   nearest ? nearest : "", nearest ? "'?" : "", (int)names.length,
                   names.data ? (const char *)names.data : "");
}

/* Keys that are no parameter: dropped, passed on to an open tool, or refused. */
static int extras_check(const struct tool_spec *spec, const json_t *args, json_t *checked,
                        struct err *err)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)args, key, value)
    {
        if (spec_find_param(spec, key) >= 0 || toolset_is_forbidden_param(spec, key))
            continue;
        if (!(spec->flags & SPEC_OPEN))
            return key_refuse(spec, key, err);
        if (json_object_set(checked, key, value) < 0)
            return err_set(err, -ENOMEM, "no memory");
    }
    return 0;
}

static int missing_refuse(const struct tool_spec *spec, const json_t *args, struct err *err)
{
    _cleanup_buf_ struct buf names = BUF_INIT(ERR_TEXT_BYTES);
    size_t count = 0;

    for (size_t i = 0; i < spec->param_count; i++) {
        if (!spec->params[i].required || json_object_get(args, spec->params[i].name))
            continue;
        if (buf_append_format(&names, "%s'%s'", count > 0 ? ", " : "",
                              spec_param_python_name(&spec->params[i])) < 0)
            break;
        count++;
    }
    return err_set(err, -EINVAL, "%s() missing required argument%s: %.*s", spec_python_name(spec),
                   count == 1 ? "" : "s", (int)names.length,
                   names.data ? (const char *)names.data : "");
}

/* Puts the parameter's value into checked. 0 or negative with err set. */
static int param_check(const struct check *check, const json_t *args, json_t *checked)
{
    const struct spec_param *param = check->param;
    json_t *value = json_object_get(args, param->name);
    json_t *result;

    if (!value && param->required)
        return missing_refuse(check->spec, args, check->err);
    bool may_be_absent = !param->required && !param->default_json;
    if (may_be_absent && (!value || (json_is_null(value) && !param->nullable)))
        return 0;
    result = value ? value_check(check, value) : default_value(check);
    if (!result)
        return -EINVAL;
    if (json_object_set_new(checked, param->name, result) < 0)
        return err_set(check->err, -ENOMEM, "no memory");
    return 0;
}

json_t *spec_validate(const struct tool_spec *spec, const json_t *args, struct buf *warning,
                      struct err *err)
{
    if (args && !json_is_object(args)) {
        err_set(err, -EINVAL, "the arguments of %s() must be an object, not %s",
                spec_python_name(spec), json_type_name(args));
        return NULL;
    }
    _cleanup_json_ json_t *checked = json_object();
    if (!checked) {
        err_set(err, -ENOMEM, "no memory");
        return NULL;
    }
    /* A misspelt name before a missing one: it usually explains it. */
    if (extras_check(spec, args, checked, err) < 0)
        return NULL;
    for (size_t i = 0; i < spec->param_count; i++) {
        struct check check = {spec, &spec->params[i], warning, err};
        if (param_check(&check, args, checked) < 0)
            return NULL;
    }
    return json_incref(checked);
}
