/* SPDX-License-Identifier: MIT
 *
 * The option table: the one place where an option's name, default, range and help sentence are
 * written down.
 */
#include "api/settings.h"

#include "base/err.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

#define MIB (1024ull * 1024)
#define TIB (1024ull * 1024 * MIB)
#define DAY 86400000ull /* ms */

#define INFO(name, value_name, default_value, help)                                                \
    .info = {sizeof(struct ptc_option_info), name, value_name, default_value, help, 0}
#define INFO_REPEATABLE(name, value_name, help)                                                    \
    .info = {sizeof(struct ptc_option_info), name, value_name, NULL, help, 1}
#define MEMBER(kind_, member) .kind = SETTINGS_##kind_, .offset = offsetof(struct policy, member)

static const char *const profile_choices[] = {"project", "strict", "trusted", NULL};
static const char *const net_choices[] = {"none", "all", NULL};

static const struct settings_option option_table[] = {
    {INFO("profile", "NAME", "project",
          "project: a script that works in a folder. strict: computation over tools only. trusted: "
          "code that you would run yourself."),
     MEMBER(CHOICE, profile), .choices = profile_choices},
    {INFO(
         "workspace", "DIR", NULL,
         "The folder that the script works in. Without it: the current directory, unless that is / "
         "or holds your home."),
     MEMBER(TEXT, workspace)},
    {INFO(
         "session", "NAME", NULL,
         "A working folder of this name, private and kept for the next run of the same session, in "
         "the place of a workspace."),
     MEMBER(TEXT, session)},
    {INFO("tools", "LIST", "all",
          "The tools that the script may call: names with commas between, all, or none. (strict: "
          "all but terminal)"),
     MEMBER(TEXT, tools), .list = true},
    {INFO("net", "none|all", "none",
          "Network of the script: none (its own loopback works) or all. (trusted: all)"),
     MEMBER(CHOICE, net), .choices = net_choices},
    {INFO_REPEATABLE("env", "NAME[=VALUE]",
                     "An environment variable for the script. Without =VALUE it is passed on with "
                     "the value it has now."),
     MEMBER(ENV, env)},
    {INFO("timeout", "SECONDS", "300",
          "Time that the script may take: 30, 0.5, 90s, 5m, 2h; 0: no limit. (strict: 30)"),
     MEMBER(DURATION, timeout_ms), .minimum = 1, .maximum = 30 * DAY},
    {INFO("cpu", "SECONDS", "120",
          "CPU time that it may use; 0: no limit. (strict: 30, trusted: 0)"),
     MEMBER(DURATION, cpu_ms), .minimum = 100, .maximum = 30 * DAY},
    {INFO("memory", "SIZE", "2G",
          "Memory that it may use: 512M, 2G, or bytes; 0: no limit. (strict: 256M, trusted: 0)"),
     MEMBER(BYTES, memory_bytes), .minimum = 16 * MIB, .maximum = 16 * TIB},
    {INFO("processes", "N", "64",
          "Processes and threads at one time; 0: no limit. (strict: 16, trusted: 0)"),
     MEMBER(COUNT, processes), .minimum = 1, .maximum = 1000000},
    {INFO("max_tool_calls", "N", "50",
          "Tool calls that it may make; none: not even one; unlimited or 0: no limit."),
     MEMBER(CALLS, max_tool_calls), .minimum = 1, .maximum = 1000000000},
    {INFO("ask_timeout", "SECONDS", "300",
          "How long a call may wait for a person to decide about it (its run stands still); 0: for "
          "ever."),
     MEMBER(DURATION, ask_timeout_ms), .minimum = 1, .maximum = 30 * DAY},
    {INFO("heartbeat", "SECONDS", "10",
          "Time between signs of life of a long run, for programs that listen; 0: none."),
     MEMBER(DURATION, heartbeat_ms), .minimum = 10, .maximum = DAY},
    {INFO("max_output", "BYTES", "50000",
          "How much of its output the result keeps, from its start and its end; 0: all of it."),
     MEMBER(BYTES, output_bytes), .minimum = 1, .maximum = 1024 * MIB},
    {INFO("max_file", "SIZE", "100M",
          "The largest file that it may write; 0: no limit. (trusted: 0)"),
     MEMBER(BYTES, file_bytes), .minimum = 1, .maximum = 16 * TIB},
    {INFO_REPEATABLE("preload", "MODULES",
                     "Modules to import once, before any script runs: names with commas between."),
     MEMBER(MODULES, preload), .list = true},
    {INFO("cold", NULL, NULL,
          "Start a fresh interpreter for each run instead of forking a prepared one. A single "
          "script "
          "is started so anyway; --cold=false forks."),
     MEMBER(SWITCH, cold)},
    {INFO("no_namespaces", NULL, NULL, NULL), MEMBER(SWITCH, no_namespaces)},
};

#define OPTION_COUNT (sizeof option_table / sizeof option_table[0])
_Static_assert(OPTION_COUNT <= 64, "ptc_settings.explicit_mask has 64 bits");

const struct settings_option *settings_option_at(size_t index)
{
    return index < OPTION_COUNT ? &option_table[index] : NULL;
}

const struct ptc_option_info *ptc_option_info_at(size_t index)
{
    return index < OPTION_COUNT ? &option_table[index].info : NULL;
}

static int report_unknown(const char *name, struct err *err)
{
    const char *names[OPTION_COUNT];
    size_t count = 0;

    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_table[i].info.help)
            names[count++] = option_table[i].info.name;
    const char *nearest = str_nearest(name, names, count);
    if (nearest)
        return err_set(err, -EINVAL, "there is no option '%.60s'; did you mean '%s'?", name,
                       nearest);
    return err_set(err, -EINVAL, "there is no option '%.60s'", name);
}

const struct settings_option *settings_option_find(const char *name, struct err *err)
{
    for (size_t i = 0; name && i < OPTION_COUNT; i++)
        if (strcmp(option_table[i].info.name, name) == 0)
            return &option_table[i];
    report_unknown(name ? name : "", err);
    return NULL;
}
