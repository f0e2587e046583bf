/* SPDX-License-Identifier: MIT
 *
 * Text to value, one small function for each kind of option. Every message begins with the option's
 * name and says what would be right.
 */
#include "api/settings.h"

#include "base/err.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The kernel takes 128 KiB for one string of an environment; this leaves room for the name. */
#define ENV_BYTES_MAX 100000

static void *member_of(struct policy *policy, const struct settings_option *option)
{
    return (char *)policy + option->offset;
}

static int refuse(const struct settings_option *option, const char *value, struct err *err,
                  const char *expected)
{
    return err_set(err, -EINVAL, "%s: '%.60s' is not %s", option->info.name, value, expected);
}

static int set_choice(struct policy *policy, const struct settings_option *option,
                      const char *value, struct err *err)
{
    for (unsigned i = 0; option->choices[i]; i++) {
        if (strcmp(option->choices[i], value) != 0)
            continue;
        memcpy(member_of(policy, option), &i, sizeof i);
        return 0;
    }
    char expected[128] = "one of";
    for (size_t i = 0, used = 6; option->choices[i] && used < sizeof expected; i++)
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s %s", i ? "," : "",
                                 option->choices[i]);
    return refuse(option, value, err, expected);
}

static int set_text(struct policy *policy, const struct settings_option *option, const char *value,
                    struct err *err)
{
    char **text = member_of(policy, option);

    if (!*value && !option->list)
        return err_set(err, -EINVAL, "%s: the value is empty", option->info.name);
    char *copy = strdup(value);
    if (!copy)
        return -ENOMEM;
    free(*text);
    *text = copy;
    return 0;
}

/* No floating point: the embedder's locale would decide how it is written. */
static void limit_text(const struct settings_option *option, uint64_t limit, char *text,
                       size_t size)
{
    bool is_duration = option->kind == SETTINGS_DURATION, is_whole = limit % 1000 == 0;
    const char *unit = !is_duration ? "" : is_whole ? " s" : " ms";

    if (option->kind == SETTINGS_BYTES)
        str_human_bytes(limit, text, size);
    else
        snprintf(text, size, "%llu%s",
                 (unsigned long long)(is_duration && is_whole ? limit / 1000 : limit), unit);
}

static int refuse_range(const struct settings_option *option, const char *value, struct err *err)
{
    char low[32], high[32];

    limit_text(option, option->minimum, low, sizeof low);
    limit_text(option, option->maximum, high, sizeof high);
    return err_set(err, -ERANGE,
                   "%s: '%.60s' is out of range; it takes %s to %s, or 0 for no limit",
                   option->info.name, value, low, high);
}

static int parse_number(const struct settings_option *option, const char *value,
                        uint64_t *ret_number)
{
    if (strcasecmp(value, "unlimited") == 0) {
        *ret_number = 0;
        return 0;
    }
    if (option->kind == SETTINGS_DURATION)
        return str_parse_duration_ms(value, ret_number);
    if (option->kind == SETTINGS_BYTES)
        return str_parse_bytes(value, ret_number);
    return str_parse_u64(value, ret_number);
}

static const char *number_expected(const struct settings_option *option)
{
    if (option->kind == SETTINGS_DURATION)
        return "a time: write seconds (30, 0.5) or 90s, 5m, 2h";
    if (option->kind == SETTINGS_BYTES)
        return "a size: write bytes (4096) or 512K, 100M, 2G";
    if (option->kind == SETTINGS_CALLS)
        return "a number of calls: write a whole number, none or unlimited";
    return "a whole number";
}

static int set_number(struct policy *policy, const struct settings_option *option,
                      const char *value, struct err *err)
{
    uint64_t number;
    int r = parse_number(option, value, &number);

    if (r == -EINVAL)
        return refuse(option, value, err, number_expected(option));
    /* A value that rounds to 0, like 0.0001 s, must not turn the limit off. */
    bool rounded_to_zero = r == 0 && number == 0 && strpbrk(value, "123456789");
    bool outside = r < 0 || (number != 0 && (number < option->minimum || number > option->maximum));
    if (rounded_to_zero || outside)
        return refuse_range(option, value, err);
    memcpy(member_of(policy, option), &number, sizeof number);
    return 0;
}

static int set_calls(struct policy *policy, const struct settings_option *option, const char *value,
                     struct err *err)
{
    bool none = strcasecmp(value, "none") == 0;
    int r = set_number(policy, option, none ? "unlimited" : value, err);

    if (r == 0)
        policy->no_tool_calls = none;
    return r;
}

static int set_switch(struct policy *policy, const struct settings_option *option,
                      const char *value, struct err *err)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    bool *flag = member_of(policy, option);

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasecmp(words[i], value) != 0)
            continue;
        *flag = i % 2;
        return 0;
    }
    return refuse(option, value, err, "true or false");
}

static bool is_name(const char *text, size_t length)
{
    if (length == 0 || isdigit((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isascii((unsigned char)text[i]) ||
            !(isalnum((unsigned char)text[i]) || text[i] == '_'))
            return false;
    return true;
}

/* A later NAME=VALUE takes the place of an earlier one, so that the command line can change what
 * the config file said. */
static int env_store(struct policy_list *list, const char *entry, size_t name_length)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strncmp(list->items[i], entry, name_length + 1) != 0)
            continue;
        char *copy = strdup(entry);
        if (!copy)
            return -ENOMEM;
        free(list->items[i]);
        list->items[i] = copy;
        return 0;
    }
    return policy_list_add(list, entry);
}

static int set_env(struct policy *policy, const struct settings_option *option, const char *value,
                   struct err *err)
{
    const char *equals = strchr(value, '=');
    size_t name_length = equals ? (size_t)(equals - value) : strlen(value);

    if (!is_name(value, name_length))
        return err_set(err, -EINVAL,
                       "%s: '%.*s' is not a variable's name; write NAME=VALUE, or NAME to pass on "
                       "the value it has here",
                       option->info.name, name_length > 60 ? 60 : (int)name_length, value);
    const char *inherited = equals ? NULL : getenv(value);
    if (!equals && !inherited)
        return err_set(err, -EINVAL, "%s: %.60s is not set here; write %.60s=VALUE",
                       option->info.name, value, value);
    _cleanup_free_ char *entry = equals ? strdup(value) : str_format("%s=%s", value, inherited);
    if (!entry)
        return -ENOMEM;
    if (strlen(entry) > ENV_BYTES_MAX)
        return err_set(err, -ERANGE, "%s: the value of %.*s is longer than %d bytes",
                       option->info.name, name_length > 60 ? 60 : (int)name_length, value,
                       ENV_BYTES_MAX);
    return env_store(member_of(policy, option), entry, name_length);
}

static bool is_module(const char *text)
{
    for (;;) {
        size_t length = strcspn(text, ".");
        if (!is_name(text, length))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

static int module_add(struct policy_list *list, const struct settings_option *option,
                      const char *name, struct err *err)
{
    if (!is_module(name))
        return refuse(option, name, err, "a module's name, like json or os.path");
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], name) == 0)
            return 0;
    return policy_list_add(list, name);
}

static int set_modules(struct policy *policy, const struct settings_option *option,
                       const char *value, struct err *err)
{
    struct policy_list *list = member_of(policy, option);
    size_t count_before = list->count;
    _cleanup_free_ char *copy = strdup(value);
    int r = copy ? 0 : -ENOMEM;
    char *rest = NULL;

    for (char *name = copy ? strtok_r(copy, ", \t", &rest) : NULL; r == 0 && name;
         name = strtok_r(NULL, ", \t", &rest))
        r = module_add(list, option, name, err);
    while (r < 0 && list->count > count_before)
        free(list->items[--list->count]);
    return r;
}

int settings_value_set(struct policy *policy, const struct settings_option *option,
                       const char *value, struct err *err)
{
    static int (*const setters[])(struct policy *, const struct settings_option *, const char *,
                                  struct err *) = {
        [SETTINGS_CHOICE] = set_choice,   [SETTINGS_TEXT] = set_text,
        [SETTINGS_DURATION] = set_number, [SETTINGS_BYTES] = set_number,
        [SETTINGS_COUNT] = set_number,    [SETTINGS_CALLS] = set_calls,
        [SETTINGS_SWITCH] = set_switch,   [SETTINGS_ENV] = set_env,
        [SETTINGS_MODULES] = set_modules,
    };

    if (!value && option->kind != SETTINGS_SWITCH)
        return err_set(err, -EINVAL, "%s: needs a value", option->info.name);
    int r = setters[option->kind](policy, option, value ? value : "true", err);
    return r == -ENOMEM ? err_set(err, -ENOMEM, "%s: no memory", option->info.name) : r;
}

void settings_value_reset(struct policy *policy, const struct settings_option *option)
{
    void *member = member_of(policy, option);

    switch (option->kind) {
    case SETTINGS_TEXT:
        free(*(char **)member);
        *(char **)member = NULL;
        break;
    case SETTINGS_ENV:
    case SETTINGS_MODULES:
        policy_list_clear(member);
        break;
    case SETTINGS_CHOICE:
    case SETTINGS_SWITCH:
        settings_value_set(policy, option,
                           option->info.default_value ? option->info.default_value : "false", NULL);
        break;
    default:
        settings_value_set(policy, option, option->info.default_value, NULL);
    }
}
