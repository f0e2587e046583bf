/* SPDX-License-Identifier: MIT
 *
 * What a host has done, and what this build and kernel have, as JSON.
 */
#include "api/host.h"

#include "run/run.h"
#include "run/zygote.h"

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#define LANDLOCK_VERSION_FLAG 1u

#define JSON_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY)

static char *dump(json_t *json)
{
    char *text = json ? json_dumps(json, JSON_FLAGS) : NULL;

    json_decref(json);
    return text;
}

char *ptc_host_stats_json(const ptc_host *host)
{
    const struct core *core = &host->core;
    const struct core_stats *stats = &core->stats;
    json_int_t active = 0, lingering = 0, zygotes = 0;

    for (const struct run *run = core->runs; run; run = run->next) {
        active += !run_has_ended(run);
        lingering += run_has_ended(run) && !run->gone;
    }
    for (const struct zygote *zygote = core->zygotes; zygote; zygote = zygote->next)
        zygotes++;
    return dump(json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "runs_started",
        (json_int_t)stats->runs_started, "runs_ended", (json_int_t)stats->runs_ended, "runs_active",
        active, "runs_lingering", lingering, "calls_made", (json_int_t)stats->calls_made,
        "calls_refused", (json_int_t)stats->calls_refused, "zygotes", zygotes, "zygote_starts",
        (json_int_t)stats->zygote_starts, "protocol_errors", (json_int_t)stats->protocol_errors));
}

/* 0: none. */
static long landlock_abi(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION_FLAG);

    return abi < 0 ? 0 : abi;
}

/* Whether the kernel's own switches allow it; a security module may still refuse, which the first run
 * shows (its result's "sandbox"). */
static bool user_namespaces_allowed(void)
{
    FILE *file = fopen("/proc/sys/user/max_user_namespaces", "re");
    long most = 0;

    if (!file)
        return false;
    if (fscanf(file, "%ld", &most) != 1)
        most = 0;
    fclose(file);
    return most > 0;
}

char *ptc_features_json(void)
{
    return dump(json_pack("{s:s, s:s, s:b, s:b, s:I}", "version", PTC_VERSION_TEXT, "python",
                          PTC_PYTHON_VERSION, "user_namespaces", user_namespaces_allowed(),
                          "seccomp", prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0, "landlock_abi",
                          (json_int_t)landlock_abi()));
}
