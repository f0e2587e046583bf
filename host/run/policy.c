/* SPDX-License-Identifier: MIT
 *
 * The values behind every option: what each profile starts with, copying, freeing. Setting single
 * values from text is api/settings' business.
 */
#include "run/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MIB (1024ull * 1024)

struct profile_limits {
    uint64_t timeout_ms, cpu_ms, memory_bytes, processes, file_bytes;
    enum policy_net net;
};

/* trusted is code that the user would run by hand: only time and calls are counted. */
static const struct profile_limits profile_limits[] = {
    [POLICY_PROJECT] = {300000, 120000, 2048 * MIB, 64, 100 * MIB, POLICY_NET_NONE},
    [POLICY_STRICT] = {30000, 30000, 256 * MIB, 16, 100 * MIB, POLICY_NET_NONE},
    [POLICY_TRUSTED] = {300000, 0, 0, 0, 0, POLICY_NET_ALL},
};

void policy_set_profile(struct policy *policy, enum policy_profile profile)
{
    const struct profile_limits *limits = &profile_limits[profile];

    policy->profile = profile;
    policy->timeout_ms = limits->timeout_ms;
    policy->cpu_ms = limits->cpu_ms;
    policy->memory_bytes = limits->memory_bytes;
    policy->processes = limits->processes;
    policy->file_bytes = limits->file_bytes;
    policy->net = limits->net;
    policy->max_tool_calls = 50;
    policy->no_tool_calls = false;
    policy->output_bytes = 50000;
    policy->ask_timeout_ms = 300000;
    policy->heartbeat_ms = 10000;
}

int policy_init(struct policy *policy)
{
    memset(policy, 0, sizeof *policy);
    policy_set_profile(policy, POLICY_PROJECT);
    return 0;
}

void policy_list_clear(struct policy_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    list->items = NULL;
    list->count = 0;
}

int policy_list_add(struct policy_list *list, const char *item)
{
    char *copy = strdup(item);
    char **items = copy ? reallocarray(list->items, list->count + 1, sizeof *items) : NULL;

    if (!items) {
        free(copy);
        return -ENOMEM;
    }
    items[list->count++] = copy;
    list->items = items;
    return 0;
}

static int list_copy(struct policy_list *ret_list, const struct policy_list *from)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < from->count; i++)
        r = policy_list_add(ret_list, from->items[i]);
    return r;
}

static int text_copy(char **ret_text, const char *from)
{
    *ret_text = from ? strdup(from) : NULL;
    return from && !*ret_text ? -ENOMEM : 0;
}

void policy_deinit(struct policy *policy)
{
    free(policy->workspace);
    free(policy->tools);
    free(policy->session);
    policy->workspace = policy->tools = policy->session = NULL;
    policy_list_clear(&policy->env);
    policy_list_clear(&policy->preload);
}

int policy_copy(struct policy *ret_policy, const struct policy *from)
{
    struct policy copy = *from;

    copy.workspace = copy.tools = copy.session = NULL;
    copy.env = copy.preload = (struct policy_list){0};
    int r = text_copy(&copy.workspace, from->workspace);
    if (r == 0)
        r = text_copy(&copy.tools, from->tools);
    if (r == 0)
        r = text_copy(&copy.session, from->session);
    if (r == 0)
        r = list_copy(&copy.env, &from->env);
    if (r == 0)
        r = list_copy(&copy.preload, &from->preload);
    if (r < 0) {
        policy_deinit(&copy);
        return r;
    }
    *ret_policy = copy;
    return 0;
}

bool policy_tool_by_default(const struct policy *policy, const char *tool)
{
    return policy->profile != POLICY_STRICT || strcmp(tool, "terminal") != 0;
}
