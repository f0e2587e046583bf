/* SPDX-License-Identifier: MIT
 *
 * What a run may do and how much of it: the values behind every option. Plain data; api/settings
 * fills it from option names, run/ reads it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum policy_profile { POLICY_PROJECT, POLICY_STRICT, POLICY_TRUSTED };
enum policy_net { POLICY_NET_NONE, POLICY_NET_ALL };

struct policy_list { /* owned strings */
    char **items;
    size_t count;
};

struct policy {
    enum policy_profile profile;
    char *workspace; /* NULL: the default rule */
    char *tools; /* NULL: the profile's default (all; strict: all but the terminal); else a list as
                    toolset_select takes it */
    uint64_t max_tool_calls; /* 0 = unlimited (but see no_tool_calls) */
    bool no_tool_calls;      /* "--max-tool-calls none": the first call is refused */
    uint64_t timeout_ms;     /* wall; 0 = unlimited */
    uint64_t cpu_ms;         /* 0 = unlimited */
    uint64_t memory_bytes;   /* 0 = unlimited */
    uint64_t processes;      /* 0 = unlimited */
    uint64_t ask_timeout_ms; /* a person decides about a call; 0 = for ever */
    uint64_t heartbeat_ms;   /* between events of a run that has nothing to tell; 0 = none */
    char *session;           /* names a working directory that lasts; NULL: none */
    uint64_t output_bytes;   /* kept of stdout; 0 = everything */
    uint64_t file_bytes;     /* largest file a run may write; 0 = unlimited */
    enum policy_net net;
    struct policy_list env;     /* "NAME=VALUE", already resolved */
    struct policy_list preload; /* module names */
    bool cold;
    bool no_namespaces; /* tier 2 on purpose (tests, comparison) */
};

int policy_init(struct policy *policy); /* the defaults of the project profile. 0 or -ENOMEM */

/* Sets the profile and everything it decides: all limits, net. */
void policy_set_profile(struct policy *policy, enum policy_profile profile);
void policy_deinit(struct policy *policy);
int policy_copy(struct policy *ret_policy, const struct policy *from); /* 0 or -ENOMEM */
int policy_list_add(struct policy_list *list, const char *item);       /* 0 or -ENOMEM */
void policy_list_clear(struct policy_list *list);

/* What tools == NULL means: whether this profile has the built-in tool on. */
bool policy_tool_by_default(const struct policy *policy, const char *tool);
