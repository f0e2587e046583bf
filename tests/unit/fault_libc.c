/* SPDX-License-Identifier: MIT
 *
 * Functions of libc that allocate by themselves, made of malloc, so that fault.c sees their memory:
 * it could neither fail them nor know what the free of their result belongs to.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
void *__wrap_reallocarray(void *pointer, size_t count, size_t size);
int __wrap_vasprintf(char **ret_text, const char *format, va_list args);
int __wrap___vasprintf_chk(char **ret_text, int flag, const char *format, va_list args);
char *__real_realpath(const char *path, char *buffer);
char *__wrap_realpath(const char *path, char *buffer);
char *__real_getcwd(char *buffer, size_t size);
char *__wrap_getcwd(char *buffer, size_t size);

char *__wrap_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

char *__wrap_strndup(const char *text, size_t length)
{
    size_t size = strnlen(text, length);
    char *copy = malloc(size + 1);

    if (!copy)
        return NULL;
    copy[size] = '\0';
    return memcpy(copy, text, size);
}

void *__wrap_reallocarray(void *pointer, size_t count, size_t size)
{
    return realloc(pointer, count * size);
}

int __wrap_vasprintf(char **ret_text, const char *format, va_list args)
{
    va_list again;
    int length;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    *ret_text = malloc((size_t)length + 1);
    return *ret_text ? vsnprintf(*ret_text, (size_t)length + 1, format, args) : -1;
}

/* Its name when _FORTIFY_SOURCE is on. */
int __wrap___vasprintf_chk(char **ret_text, int flag, const char *format, va_list args)
{
    (void)flag;
    return __wrap_vasprintf(ret_text, format, args);
}

char *__wrap_realpath(const char *path, char *buffer)
{
    char own[PATH_MAX], *real = __real_realpath(path, buffer ? buffer : own);

    return real && !buffer ? __wrap_strdup(real) : real;
}

char *__wrap_getcwd(char *buffer, size_t size)
{
    char own[PATH_MAX], *cwd = __real_getcwd(buffer ? buffer : own, buffer ? size : sizeof own);

    return cwd && !buffer ? __wrap_strdup(cwd) : cwd;
}
