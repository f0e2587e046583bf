/* SPDX-License-Identifier: MIT
 *
 * The allocator in front of the allocator.
 */
#include "fault.h"

#include "unit.h"

#include <errno.h>
#include <jansson.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void __real_free(void *pointer);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);
void __wrap_free(void *pointer);

static long countdown; /* calls until one fails; 0 = none does */
static bool stays;     /* every call after that one fails too */
static int fired;
static long live;

static bool fails(void)
{
    if (countdown == 0 || --countdown > 0)
        return false;
    countdown = stays ? 1 : 0;
    fired++;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    void *pointer = fails() ? NULL : __real_malloc(size);
    live += pointer != NULL;
    return pointer;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *pointer = fails() ? NULL : __real_calloc(count, size);
    live += pointer != NULL;
    return pointer;
}

void *__wrap_realloc(void *pointer, size_t size)
{
    if (fails())
        return NULL;
    void *moved = __real_realloc(pointer, size);
    live += !pointer && moved;
    return moved;
}

void __wrap_free(void *pointer)
{
    live -= pointer != NULL;
    __real_free(pointer);
}

int fault_arm(long n)
{
    int before = fired;
    countdown = n;
    fired = 0;
    return before;
}

int fault_arm_from(long n)
{
    int before = fault_arm(n);

    stays = n != 0;
    return before;
}

long fault_live(void)
{
    return live;
}

static void sweep(int (*scenario)(void))
{
    for (long n = 1;; n++) {
        long before = live;
        fault_arm(n);
        int rc = scenario();
        bool failed = fault_arm(0) > 0;
        assert_int_equal(live, before);
        if (!failed) {
            assert_int_equal(rc, 0);
            return;
        }
        if (rc >= 0)
            fail_msg("allocation %ld failed and nobody said so", n);
    }
}

void fault_sweep(int (*scenario)(void))
{
    json_malloc_t json_malloc_before;
    json_free_t json_free_before;
    json_get_alloc_funcs(&json_malloc_before, &json_free_before);
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    stays = false;
    sweep(scenario);
    stays = true;
    sweep(scenario);
    stays = false;
    json_set_alloc_funcs(json_malloc_before, json_free_before);
}
