/* SPDX-License-Identifier: MIT
 *
 * /proc/<pid>/stat of init's children, while they are still there.
 */
#include "run/usage.h"

#include "run/run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Script and tools come first; after them orphans, of which a script can make thousands. */
#define PROCESSES_MAX 16

#define CLAIM_MAX ((json_int_t)1 << 50) /* no sum and no product of it leaves 64 bits */

/* The text after the command name, which may hold anything, also blanks and parentheses. */
static int stat_read(pid_t pid, char *text, size_t size)
{
    char path[64];
    size_t n;
    FILE *file;
    char *end;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return -1;
    n = fread(text, 1, size - 1, file);
    fclose(file);
    text[n] = '\0';
    end = strrchr(text, ')');
    if (!end)
        return -1;
    memmove(text, end + 1, strlen(end + 1) + 1);
    return 0;
}

static uint64_t peak_rss_kib(pid_t pid)
{
    char path[64], line[256];
    unsigned long long kib = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %llu", &kib) == 1)
            break;
    fclose(file);
    return kib;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void process_add(pid_t pid, struct run_usage *usage)
{
    unsigned long long user, system, waited_user, waited_system;
    uint64_t tick_us = 1000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    uint64_t rss;
    char text[1024];

    /* state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt, then the four */
    if (stat_read(pid, text, sizeof text) < 0 ||
        sscanf(text, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &user,
               &system, &waited_user, &waited_system) != 4)
        return;
    usage->user_us += (user + waited_user) * tick_us;
    usage->system_us += (system + waited_system) * tick_us;
    rss = peak_rss_kib(pid);
    usage->max_rss_kib = larger(usage->max_rss_kib, rss);
}

static void usage_raise(struct run_usage *usage, const struct run_usage *to)
{
    usage->user_us = larger(usage->user_us, to->user_us);
    usage->system_us = larger(usage->system_us, to->system_us);
    usage->max_rss_kib = larger(usage->max_rss_kib, to->max_rss_kib);
}

void usage_claim(const json_t *claim, struct run_usage *usage)
{
    uint64_t values[3];

    if (json_array_size(claim) != 3)
        return;
    for (size_t i = 0; i < 3; i++) {
        json_int_t value = json_integer_value(json_array_get(claim, i));

        if (value < 0 || value > CLAIM_MAX)
            return;
        values[i] = (uint64_t)value;
    }
    usage_raise(usage, &(struct run_usage){
                           .user_us = values[0], .system_us = values[1], .max_rss_kib = values[2]});
}

void usage_read(pid_t init_pid, struct run_usage *usage)
{
    struct run_usage seen = {0};
    char path[64];
    FILE *file;
    long pid;

    if (init_pid <= 0)
        return;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)init_pid, (int)init_pid);
    file = fopen(path, "re");
    if (!file)
        return; /* a kernel without CONFIG_PROC_CHILDREN, or no /proc: the result says 0 */
    for (int n = 0; n < PROCESSES_MAX && fscanf(file, "%ld", &pid) == 1; n++)
        process_add((pid_t)pid, &seen);
    fclose(file);
    usage_raise(usage, &seen);
}
