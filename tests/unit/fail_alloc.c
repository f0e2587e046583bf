/* SPDX-License-Identifier: MIT
 *
 * See fail_alloc.h.
 */
#include "fail_alloc.h"

#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *text);

static int countdown = -1; /* -1: off */
static bool fired;

static bool must_fail(void)
{
    if (countdown < 0)
        return false;
    if (countdown-- > 0)
        return false;
    fired = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return must_fail() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
    if (size > 0 && count > (size_t)-1 / size)
        return NULL;
    return __wrap_realloc(old, count * size);
}

char *__wrap_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = __wrap_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void fail_alloc_at(int n)
{
    json_set_alloc_funcs(__wrap_malloc, free);
    fired = false;
    countdown = n;
}

bool fail_alloc_stop(void)
{
    countdown = -1;
    return fired;
}
