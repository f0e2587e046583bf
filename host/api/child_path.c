/* SPDX-License-Identifier: MIT
 *
 * Looks relative to this library's own file, so that a build tree and a relocated prefix work, and
 * never at the environment: a variable could put any program in the place of the sandbox.
 */
#include "api/child_path.h"

#include "base/err.h"
#include "base/str.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Relative to the directory of libptchost.so (or of the program, when linked statically). */
static const char *const PLACES[] = {
    "../bin/ptc-child",              /* build/lib -> build/bin */
    "ptc-child",                     /* build/bin -> build/bin */
    PTC_LIBDIR_TO_CHILD,             /* prefix/lib/... -> prefix/libexec/ptc-host */
    "../libexec/ptc-host/ptc-child", /* prefix/bin -> prefix/libexec/ptc-host */
};

static char *own_directory(void)
{
    struct link_map *object = NULL;
    Dl_info info;
    char *path, *slash;

    if (!dladdr1((const void *)child_path_find, &info, (void **)&object, RTLD_DL_LINKMAP))
        return NULL;
    /* Linked into the program, whose name here would be whatever argv[0] says. */
    path = realpath(object->l_name[0] ? object->l_name : "/proc/self/exe", NULL);
    slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        *slash = '\0';
    return path;
}

char *child_path_find(const char *given, struct err *err)
{
    _cleanup_free_ char *directory = NULL;

    if (given) {
        char *copy = access(given, X_OK) == 0 ? strdup(given) : NULL;

        if (!copy)
            err_errno(err, -errno, "the helper program %s cannot be run", given);
        return copy;
    }
    directory = own_directory();
    for (size_t i = 0; directory && i < sizeof PLACES / sizeof *PLACES; i++) {
        _cleanup_free_ char *path = str_format("%s/%s", directory, PLACES[i]);

        if (path && access(path, X_OK) == 0)
            return realpath(path, NULL);
    }
    if (access(PTC_CHILD_INSTALLED, X_OK) == 0)
        return strdup(PTC_CHILD_INSTALLED);
    err_set(
        err, -ENOENT,
        "the helper program ptc-child is neither beside %s nor at %s; install it there again, or "
        "(in a program that uses the library) set child_path",
        directory ? directory : "the library", PTC_CHILD_INSTALLED);
    return NULL;
}
