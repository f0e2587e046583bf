/* SPDX-License-Identifier: MIT
 *
 * Large memory that goes back to the kernel in pieces. Its first bytes, which nobody needs any more,
 * hold the list, so that this cannot fail.
 */
#include "base/loop.h"

#include <stdlib.h>
#include <sys/mman.h>

#define AT_ONCE_BYTES (512u * 1024u)
#define PIECE_BYTES   (512u * 1024u)
#define PAGE_BYTES    (64u * 1024u) /* the largest that Linux has */

struct loop_garbage {
    struct loop_garbage *next;
    size_t bytes;
    size_t given_back; /* from the start; pages without content cost free() next to nothing */
};

static void first_free(struct loop *loop)
{
    struct loop_garbage *garbage = loop->garbage;
    loop->garbage = garbage->next;
    free(garbage);
}

/* The pages of the next piece that lie wholly inside, but for the first, which holds the list. */
static void piece_give_back(struct loop_garbage *garbage)
{
    uintptr_t start = (uintptr_t)garbage;
    size_t left = garbage->bytes - garbage->given_back;
    size_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;
    uintptr_t from = start + garbage->given_back;
    uintptr_t first = (from + (garbage->given_back ? 0 : sizeof(*garbage)) + PAGE_BYTES - 1) &
                      ~(uintptr_t)(PAGE_BYTES - 1);
    uintptr_t end = (from + piece) & ~(uintptr_t)(PAGE_BYTES - 1);
    if (end > first)
        madvise((void *)first, end - first, MADV_DONTNEED); /* refused: free() does it all */
    garbage->given_back = end > first && piece < left ? end - start : garbage->bytes;
}

static void garbage_work(struct loop_work *work)
{
    struct loop *loop = work->user;
    if (loop->garbage->given_back < loop->garbage->bytes)
        piece_give_back(loop->garbage);
    else
        first_free(loop);
    if (loop->garbage)
        loop_work_add(loop, work);
}

void loop_free_later(struct loop *loop, void *memory, size_t bytes)
{
    if (!memory || !loop || !loop_has_budget(loop) || bytes < AT_ONCE_BYTES) {
        free(memory);
        return;
    }
    struct loop_garbage *garbage = memory;
    *garbage = (struct loop_garbage){.next = loop->garbage, .bytes = bytes};
    loop->garbage = garbage;
    loop->garbage_work.fn = garbage_work;
    loop->garbage_work.user = loop;
    loop_work_add(loop, &loop->garbage_work);
}

void loop_garbage_flush(struct loop *loop)
{
    while (loop->garbage)
        first_free(loop);
    loop_work_remove(loop, &loop->garbage_work);
}
