/* SPDX-License-Identifier: MIT
 *
 * Learning from /proc/self/pagemap of a training child, populating with MADV_POPULATE_WRITE.
 */
#include "child/hotpages.h"

#include "base/buf.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

#define RANGES_MAX  4096
#define BATCH_PAGES 512

/* Longer mappings are reserves of address space (a sanitizer's shadow has 16 TiB, some allocators
 * have 64 GiB), of which even the pagemap takes seconds to read. */
#define MAPPING_BYTES_MAX (1ull << 30)

/* Bits of a pagemap entry. */
#define PAGE_PRESENT (1ull << 63)
#define PAGE_FILE    (1ull << 61)
#define PAGE_EXCLUSIVE                                                                             \
    (1ull                                                                                          \
     << 56) /* mapped by this process only: it was written after the fork                     \
                  */

struct mapping {
    uintptr_t start, end;
};

/* ---- in the training child ---- */

static void page_add(struct buf *out, uintptr_t page, size_t page_bytes)
{
    struct hotpages_range *last = NULL, range = {page, page_bytes};

    if (out->length)
        last = (struct hotpages_range *)(void *)(out->data + out->length) - 1;
    if (last && last->start + last->length == page)
        last->length += page_bytes;
    else
        buf_append(out, &range, sizeof range);
}

static void mapping_scan(int pagemap, const struct mapping *mapping, size_t page_bytes,
                         struct buf *out)
{
    uint64_t entries[BATCH_PAGES];
    uintptr_t page = mapping->start;

    while (page < mapping->end) {
        size_t count = (mapping->end - page) / page_bytes;
        ssize_t n;

        if (count > BATCH_PAGES)
            count = BATCH_PAGES;
        n = pread(pagemap, entries, count * sizeof *entries,
                  (off_t)(page / page_bytes * sizeof *entries));
        if (n <= 0)
            return;
        for (size_t i = 0; i < (size_t)n / sizeof *entries; i++, page += page_bytes)
            if ((entries[i] & (PAGE_PRESENT | PAGE_FILE | PAGE_EXCLUSIVE)) ==
                (PAGE_PRESENT | PAGE_EXCLUSIVE))
                page_add(out, page, page_bytes);
    }
}

/* The private writable mappings of ordinary size, listed before the rehearsal: what it maps itself
 * is not there in the next child. */
static void mappings_read(struct buf *out)
{
    FILE *file = fopen("/proc/self/maps", "re");
    char line[512], permissions[8];
    struct mapping mapping;

    if (!file)
        return;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%lx-%lx %7s", &mapping.start, &mapping.end, permissions) == 3 &&
            permissions[1] == 'w' && permissions[3] == 'p' &&
            mapping.end - mapping.start <= MAPPING_BYTES_MAX)
            buf_append(out, &mapping, sizeof mapping);
    fclose(file);
}

static _Noreturn void trainee_run(int out_fd, void (*rehearse)(void))
{
    struct buf mappings = BUF_INIT(1 << 20), ranges = BUF_INIT(RANGES_MAX * 16);
    const struct mapping *mapping;
    int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

    mappings_read(&mappings);
    rehearse();
    mapping = (const struct mapping *)(const void *)mappings.data;
    for (size_t i = 0; pagemap >= 0 && i < mappings.length / sizeof *mapping; i++)
        mapping_scan(pagemap, &mapping[i], (size_t)sysconf(_SC_PAGESIZE), &ranges);
    fd_write_all(out_fd, ranges.data, ranges.length);
    _exit(0);
}

/* ---- in the zygote ---- */

void hotpages_learn(struct hotpages *hotpages, void (*rehearse)(void))
{
    struct buf ranges = BUF_INIT(RANGES_MAX * sizeof *hotpages->ranges);
    int pipe_fds[2];
    pid_t pid;

    *hotpages = (struct hotpages){0};
    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return;
    pid = fork();
    if (pid == 0)
        trainee_run(pipe_fds[1], rehearse);
    fd_close(pipe_fds[1]);
    if (pid > 0 && fd_read_all(pipe_fds[0], &ranges) == 0) {
        hotpages->count = ranges.length / sizeof *hotpages->ranges;
        hotpages->ranges = (struct hotpages_range *)(void *)buf_steal_text(&ranges, NULL);
    }
    fd_close(pipe_fds[0]);
    buf_deinit(&ranges);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
}

void hotpages_populate(const struct hotpages *hotpages)
{
    for (size_t i = 0; i < hotpages->count; i++) {
        const struct hotpages_range *range = &hotpages->ranges[i];

        if (madvise((void *)range->start, range->length, MADV_POPULATE_WRITE) < 0 &&
            errno == EINVAL)
            return; /* an older kernel: the faults come one by one */
    }
}
