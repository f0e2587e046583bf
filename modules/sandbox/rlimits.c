/* SPDX-License-Identifier: MIT
 *
 * Per-process limits. They are the base tier: totals over all processes of a run need a
 * cgroup or the host's monitor.
 */
#include "sandbox/sandbox.h"

#include "wire/layers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Address space beyond the memory limit: thread stacks and malloc arenas reserve a lot without
 * using it. A backstop against mappings that RLIMIT_DATA does not count. */
#define ADDRESS_SPACE_SLACK (16ull << 30)

static int limit_set(int resource, uint64_t value, uint64_t hard)
{
    struct rlimit old, limit = {value, hard};

    if (getrlimit(resource, &old) < 0)
        return -errno;
    if (old.rlim_max < limit.rlim_max) /* never looser than what we were given */
        limit.rlim_max = old.rlim_max;
    if (limit.rlim_max < limit.rlim_cur)
        limit.rlim_cur = limit.rlim_max;
    return setrlimit((__rlimit_resource_t)resource, &limit) < 0 ? -errno : 0;
}

/* Pages of data and of address space that this process has already: limits are relative to them, or
 * the modules that the zygote imported would eat the run's allowance. */
static int memory_in_use(uint64_t *ret_data, uint64_t *ret_total)
{
    unsigned long long total, data;
    FILE *file = fopen("/proc/self/statm", "re");
    int n;

    if (!file)
        return -errno;
    n = fscanf(file, "%llu %*u %*u %*u %*u %llu", &total, &data);
    fclose(file);
    if (n != 2)
        return -EIO;
    *ret_total = total * (uint64_t)sysconf(_SC_PAGESIZE);
    *ret_data = data * (uint64_t)sysconf(_SC_PAGESIZE);
    return 0;
}

static int memory_apply(uint64_t memory_bytes)
{
    uint64_t data = 0, total = 0;
    int r;

    if (!memory_bytes)
        return 0;
    r = memory_in_use(&data, &total);
    if (r < 0) {
        /* No /proc: allow for an interpreter with its modules. */
        data = 64ull << 20;
        total = 512ull << 20;
    }
    r = limit_set(RLIMIT_DATA, data + memory_bytes, data + memory_bytes);
    if (r < 0)
        return r;
    return limit_set(RLIMIT_AS, total + memory_bytes + ADDRESS_SPACE_SLACK,
                     total + memory_bytes + ADDRESS_SPACE_SLACK);
}

/* One second between the soft and the hard limit: SIGXCPU names the reason, SIGKILL cannot. */
static int cpu_apply(uint64_t cpu_ms)
{
    uint64_t seconds = (cpu_ms + 999) / 1000;

    return limit_set(RLIMIT_CPU, seconds, seconds + 1);
}

int rlimits_apply(const struct rlimits *limits, unsigned *layers)
{
    int r = limit_set(RLIMIT_CORE, 0, 0);

    if (r == 0 && limits->cpu_ms)
        r = cpu_apply(limits->cpu_ms);
    if (r == 0 && limits->file_bytes)
        r = limit_set(RLIMIT_FSIZE, limits->file_bytes, limits->file_bytes);
    if (r == 0 && limits->open_files)
        r = limit_set(RLIMIT_NOFILE, limits->open_files, limits->open_files);
    if (r == 0 && limits->processes)
        r = limit_set(RLIMIT_NPROC, limits->processes, limits->processes);
    if (r == 0)
        r = memory_apply(limits->memory_bytes);
    if (r == 0)
        *layers |= LAYER_RLIMITS;
    return r;
}
