/* SPDX-License-Identifier: MIT
 *
 * Behind ptc_settings: one constant table of options. Setting from text, the JSON form, the config
 * file, the help text and the error messages are all made from it.
 */
#pragma once

#include "include/ptc_host.h"
#include "run/policy.h"

struct err;
struct toolset;

/* How the text of an option becomes a member of struct policy. */
enum settings_kind {
    SETTINGS_CHOICE,   /* one of choices[], stored as its index */
    SETTINGS_TEXT,     /* char * */
    SETTINGS_DURATION, /* uint64_t milliseconds; 0 = unlimited */
    SETTINGS_BYTES,    /* uint64_t; 0 = unlimited */
    SETTINGS_COUNT,    /* uint64_t; 0 = unlimited */
    SETTINGS_CALLS,    /* as COUNT; "none" sets no_tool_calls */
    SETTINGS_SWITCH,   /* bool */
    SETTINGS_ENV,      /* policy_list of NAME=VALUE, one for each name */
    SETTINGS_MODULES   /* policy_list of dotted module names */
};

struct settings_option {
    struct ptc_option_info info; /* info.help is NULL for an option that help texts leave out */
    enum settings_kind kind;
    size_t offset;              /* of the member of struct policy */
    uint64_t minimum, maximum;  /* of DURATION, BYTES, COUNT and CALLS; 0 is allowed besides */
    const char *const *choices; /* NULL-terminated */
    bool list;                  /* comma-separated: the JSON form may be an array */
};

struct ptc_settings {
    struct policy policy;
    uint64_t explicit_mask; /* bit n: option n was set and no profile may change it */
};

/* The table. settings_option_find fails with "did you mean" (-EINVAL). */
const struct settings_option *settings_option_at(size_t index); /* NULL at the end */
const struct settings_option *settings_option_find(const char *name, struct err *err);

/* Sets one value in policy; nothing changes on error. value NULL means "true" for a switch and is
 * an error for everything else. 0, -EINVAL, -ERANGE, -ENOMEM; the text begins with "NAME: ". */
int settings_value_set(struct policy *policy, const struct settings_option *option,
                       const char *value, struct err *err);

/* Back to the default of the project profile. */
void settings_value_reset(struct policy *policy, const struct settings_option *option);

/* ptc_settings_set and _set_json for struct err; the latter takes any json_t object. */
int settings_set_text(struct ptc_settings *settings, const struct settings_option *option,
                      const char *value, struct err *err);
int settings_set_default(struct ptc_settings *settings, const struct settings_option *option);
struct json_t;
int settings_set_object(struct ptc_settings *settings, const struct json_t *object,
                        struct err *err);

/* Copies err to what the caller of a public function sees and returns its PTC_E_* code. */
int settings_report(struct ptc_error *ret_error, const struct err *err);

/* The tools of a run: what policy->tools names, or the profile's default, out of the built-in ones
 * and `extra` (may be NULL). 0, -EINVAL, -ENOMEM. */
int settings_select_tools(const struct policy *policy, const struct toolset *extra,
                          struct toolset *ret_set, struct err *err);
