/* SPDX-License-Identifier: MIT
 *
 * ptc_settings: making, copying, setting by name. A profile brings its own limits, but never over
 * what was set by hand, in whatever order the two came.
 */
#include "api/settings.h"

#include "base/err.h"
#include "base/json.h"
#include "spec/toolset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int code_of_errno(int code)
{
    switch (-code) {
    case 0:
        return PTC_OK;
    case EINVAL:
    case ERANGE:
    case EISDIR:
    case ENOTDIR:
    case EEXIST:
    case ELOOP:
    case ENAMETOOLONG:
        return PTC_E_INVALID;
    case ENOMEM:
        return PTC_E_NO_MEMORY;
    case ENOENT:
        return PTC_E_NOT_FOUND;
    case EBUSY: /* a callback that would block */
        return PTC_E_STATE;
    default:
        return PTC_E_SYSTEM;
    }
}

int settings_report(struct ptc_error *ret_error, const struct err *err)
{
    struct err no_memory = ERR_INIT;
    int code;

    if (!err->code) { /* only a failed allocation fails without words */
        err_set(&no_memory, -ENOMEM, "no memory");
        err = &no_memory;
    }
    code = code_of_errno(err->code);
    if (!ret_error || ret_error->struct_size < sizeof *ret_error)
        return code;
    ret_error->code = code;
    ret_error->system_errno = code == PTC_E_SYSTEM ? -err->code : 0;
    _Static_assert(sizeof ret_error->message >= ERR_TEXT_BYTES, "a message fits");
    memcpy(ret_error->message, err->text, ERR_TEXT_BYTES);
    return code;
}

static void *report_no_memory(struct ptc_error *ret_error)
{
    struct err err = ERR_INIT;

    err_set(&err, -ENOMEM, "no memory");
    settings_report(ret_error, &err);
    return NULL;
}

ptc_settings *ptc_settings_new(struct ptc_error *error)
{
    ptc_settings *settings = calloc(1, sizeof *settings);

    if (!settings || policy_init(&settings->policy) < 0) {
        free(settings);
        return report_no_memory(error);
    }
    return settings;
}

ptc_settings *ptc_settings_copy(const ptc_settings *settings, struct ptc_error *error)
{
    ptc_settings *copy = calloc(1, sizeof *copy);

    if (!copy || policy_copy(&copy->policy, &settings->policy) < 0) {
        free(copy);
        return report_no_memory(error);
    }
    copy->explicit_mask = settings->explicit_mask;
    return copy;
}

void ptc_settings_free(ptc_settings *settings)
{
    if (!settings)
        return;
    policy_deinit(&settings->policy);
    free(settings);
}

static uint64_t bit_of(const struct settings_option *option)
{
    return 1ull << (option - settings_option_at(0));
}

static size_t profiled_size(const struct settings_option *option)
{
    switch (option->kind) {
    case SETTINGS_DURATION:
    case SETTINGS_BYTES:
    case SETTINGS_COUNT:
    case SETTINGS_CALLS:
        return sizeof(uint64_t);
    case SETTINGS_CHOICE:
        return sizeof(unsigned);
    default:
        return 0;
    }
}

/* Everything that was not set by hand becomes what the profile starts with. */
static void follow_profile(struct ptc_settings *settings)
{
    struct policy defaults = settings->policy; /* only for its numbers: owns nothing */

    policy_set_profile(&defaults, settings->policy.profile);
    for (size_t i = 0; settings_option_at(i); i++) {
        const struct settings_option *option = settings_option_at(i);
        if (settings->explicit_mask & bit_of(option))
            continue;
        memcpy((char *)&settings->policy + option->offset, (char *)&defaults + option->offset,
               profiled_size(option));
        if (option->kind == SETTINGS_CALLS)
            settings->policy.no_tool_calls = defaults.no_tool_calls;
    }
}

int settings_set_text(struct ptc_settings *settings, const struct settings_option *option,
                      const char *value, struct err *err)
{
    int r = settings_value_set(&settings->policy, option, value, err);

    if (r < 0)
        return r;
    settings->explicit_mask |= bit_of(option);
    follow_profile(settings);
    return 0;
}

int settings_set_default(struct ptc_settings *settings, const struct settings_option *option)
{
    settings_value_reset(&settings->policy, option);
    settings->explicit_mask &= ~bit_of(option);
    follow_profile(settings);
    return 0;
}

int ptc_settings_set(ptc_settings *settings, const char *name, const char *value,
                     struct ptc_error *error)
{
    struct err err = ERR_INIT;
    const struct settings_option *option = settings_option_find(name, &err);

    if (option && settings_set_text(settings, option, value, &err) == 0)
        return PTC_OK;
    return settings_report(error, &err);
}
