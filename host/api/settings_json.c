/* SPDX-License-Identifier: MIT
 *
 * The JSON form of settings: {"timeout": 30, "tools": ["read_file"], "env": ["A=1"], "cpu": null}.
 * Values become text and take the same way as the command line's, so that both have the same rules.
 */
#include "api/settings.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

static int refuse_type(const struct settings_option *option, const json_t *value, struct err *err)
{
    const char *expected = "a string";

    if (option->kind == SETTINGS_SWITCH)
        expected = "true or false";
    else if (option->kind == SETTINGS_ENV)
        expected = "an array of strings \"NAME=VALUE\"";
    else if (option->list)
        expected = "a string or an array of strings";
    else if (option->minimum)
        expected = "a number or a string";
    return err_set(err, -EINVAL, "%s: it takes %s, not %s", option->info.name, expected,
                   json_type_name(value));
}

/* Plain decimals: the text parsers take no exponent, and printf's own point is the locale's. What
 * cannot be a value of any option becomes a text that they refuse. */
static char *number_text(const json_t *value)
{
    if (json_is_integer(value))
        return str_format("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    double number = json_real_value(value);
    if (!(number >= 0 && number < 1e15))
        return str_format("%s", number < 0 ? "a negative number" : "so large a number");
    uint64_t billionths = (uint64_t)((number - (double)(uint64_t)number) * 1e9 + 0.5);
    uint64_t whole = (uint64_t)number + billionths / 1000000000;
    billionths %= 1000000000;
    return billionths ? str_format("%llu.%09llu", (unsigned long long)whole,
                                   (unsigned long long)billionths)
                      : str_format("%llu", (unsigned long long)whole);
}

static int string_check(const struct settings_option *option, const json_t *value, struct err *err)
{
    if (!json_is_string(value))
        return refuse_type(option, value, err);
    if (strlen(json_string_value(value)) != json_string_length(value))
        return err_set(err, -EINVAL, "%s: the text has a NUL in it", option->info.name);
    return 0;
}

static int set_number(struct ptc_settings *settings, const struct settings_option *option,
                      const json_t *value, struct err *err)
{
    if (!option->minimum)
        return refuse_type(option, value, err);
    _cleanup_free_ char *text = number_text(value);
    return text ? settings_set_text(settings, option, text, err) : -ENOMEM;
}

/* An empty array for a list means an empty list: "tools": [] is no tools, not the default. */
static int set_joined(struct ptc_settings *settings, const struct settings_option *option,
                      const json_t *array, struct err *err)
{
    _cleanup_buf_ struct buf joined = BUF_INIT(1 << 20);
    int r = buf_append_text(&joined, "");

    for (size_t i = 0; r == 0 && i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);
        r = string_check(option, item, err);
        if (r == 0 && i > 0)
            r = buf_append_text(&joined, ",");
        if (r == 0)
            r = buf_append(&joined, json_string_value(item), json_string_length(item));
    }
    _cleanup_free_ char *text = r == 0 ? buf_steal_text(&joined, NULL) : NULL;
    if (r < 0)
        return r;
    return text ? settings_set_text(settings, option, text, err) : -ENOMEM;
}

static int set_array(struct ptc_settings *settings, const struct settings_option *option,
                     const json_t *array, struct err *err)
{
    if (option->list)
        return set_joined(settings, option, array, err);
    if (!option->info.repeatable)
        return refuse_type(option, array, err);
    int r = 0;
    for (size_t i = 0; r == 0 && i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);
        r = string_check(option, item, err);
        if (r == 0)
            r = settings_set_text(settings, option, json_string_value(item), err);
    }
    return r;
}

static int set_value(struct ptc_settings *settings, const struct settings_option *option,
                     const json_t *value, struct err *err)
{
    switch (json_typeof(value)) {
    case JSON_NULL:
        return settings_set_default(settings, option);
    case JSON_TRUE:
    case JSON_FALSE:
        if (option->kind != SETTINGS_SWITCH)
            return refuse_type(option, value, err);
        return settings_set_text(settings, option, json_is_true(value) ? "true" : "false", err);
    case JSON_INTEGER:
    case JSON_REAL:
        return set_number(settings, option, value, err);
    case JSON_ARRAY:
        return set_array(settings, option, value, err);
    case JSON_STRING: {
        int r = string_check(option, value, err);
        return r < 0 ? r : settings_set_text(settings, option, json_string_value(value), err);
    }
    default:
        return refuse_type(option, value, err);
    }
}

static int set_members(struct ptc_settings *settings, json_t *object, struct err *err)
{
    const char *name;
    json_t *value;

    json_object_foreach(object, name, value)
    {
        const struct settings_option *option = settings_option_find(name, err);
        int r = option ? set_value(settings, option, value, err) : -EINVAL;
        if (r < 0) /* a bare -ENOMEM or -EMSGSIZE has no text yet */
            return err->code ? err->code : err_errno(err, r, "%s", name);
    }
    return 0;
}

int settings_set_object(struct ptc_settings *settings, const json_t *object, struct err *err)
{
    struct ptc_settings trial = {.explicit_mask = settings->explicit_mask};

    if (!json_is_object(object))
        return err_set(err, -EINVAL, "options are a JSON object, not %s", json_type_name(object));
    int r = policy_copy(&trial.policy, &settings->policy);
    if (r < 0)
        return err_set(err, r, "no memory");
    r = set_members(&trial, (json_t *)object, err);
    /* Whichever of the two is not wanted any more is freed: nothing is set on error. */
    struct ptc_settings unwanted = r < 0 ? trial : *settings;
    if (r == 0)
        *settings = trial;
    policy_deinit(&unwanted.policy);
    return r;
}

int ptc_settings_set_json(ptc_settings *settings, const char *json, size_t length,
                          struct ptc_error *error)
{
    struct err err = ERR_INIT;
    _cleanup_json_ json_t *object = json_parse(json, length, JSON_DEPTH_MAX, &err);

    if (object && settings_set_object(settings, object, &err) == 0)
        return PTC_OK;
    return settings_report(error, &err);
}
