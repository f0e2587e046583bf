/* SPDX-License-Identifier: MIT
 *
 * Arenas (1 MiB each in CPython 3.11) are cut from chunks that are aligned to huge pages. A run
 * takes its first few arenas in ordinary pages, so that a small script costs what it touches; one
 * that goes on allocating gets huge pages, which fault 512 times less.
 */
#include "python/arena.h"

#include "python/compat.h"

#include <stdint.h>
#include <sys/mman.h>

#define HUGE_BYTES      (2ul << 20)
#define CHUNK_BYTES     (4 * HUGE_BYTES)
#define PLAIN_BYTES     (4ul << 20) /* of a run, before huge pages pay */
#define FREE_ARENAS_MAX 64

/* The allocator's context; it lives in a mapping of its own. */
struct arenas {
    char *next, *end;   /* what is left of the current chunk */
    size_t plain_bytes; /* what the run may still take in ordinary pages */
    bool frozen;
    size_t arena_bytes; /* all arenas have one size */
    size_t free_count;
    void *free[FREE_ARENAS_MAX];
};

static void *pages_map(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

static bool chunk_map(struct arenas *arenas)
{
    /* One huge page more, to find the alignment in. What is left over is never touched. */
    char *pages = pages_map(CHUNK_BYTES + HUGE_BYTES);

    if (pages == NULL) {
        return false;
    }
    pages = (char *)(((uintptr_t)pages + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
    (void)madvise(pages, CHUNK_BYTES, MADV_HUGEPAGE); /* EINVAL: a kernel without them */
    arenas->next = pages;
    arenas->end = pages + CHUNK_BYTES;
    return true;
}

static void *arena_take(void *context, size_t size)
{
    struct arenas *arenas = context;

    if (arenas->free_count > 0 && size == arenas->arena_bytes) {
        return arenas->free[--arenas->free_count];
    }
    if (arenas->frozen && arenas->plain_bytes >= size) {
        arenas->plain_bytes -= size;
        return pages_map(size);
    }
    if ((size_t)(arenas->end - arenas->next) < size && (size > CHUNK_BYTES || !chunk_map(arenas))) {
        return pages_map(size);
    }
    arenas->arena_bytes = size;
    arenas->next += size;
    return arenas->next - size;
}

/* Memory goes back to the system, the addresses stay for the next arena. */
static void arena_give(void *context, void *arena, size_t size)
{
    struct arenas *arenas = context;

    (void)madvise(arena, size, MADV_DONTNEED);
    if (size == arenas->arena_bytes && arenas->free_count < FREE_ARENAS_MAX) {
        arenas->free[arenas->free_count++] = arena;
    }
}

void arena_install(void)
{
    struct arenas *arenas = pages_map(sizeof *arenas);
    PyObjectArenaAllocator allocator = {arenas, arena_take, arena_give};

    if (arenas != NULL) {
        PyObject_SetArenaAllocator(&allocator);
    }
}

void arena_freeze(void)
{
    PyObjectArenaAllocator allocator;

    PyObject_GetArenaAllocator(&allocator);
    if (allocator.alloc == arena_take) {
        struct arenas *arenas = allocator.ctx;

        arenas->frozen = true;
        arenas->plain_bytes = PLAIN_BYTES;
    }
}
