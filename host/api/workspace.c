/* SPDX-License-Identifier: MIT
 *
 * The default workspace rule. Paths are compared after realpath, so that a link to the home
 * directory is the home directory.
 */
#include "api/workspace.h"

#include "base/err.h"
#include "base/str.h"

#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool path_holds(const char *directory, const char *path)
{
    size_t length = strlen(directory);

    if (strcmp(directory, "/") == 0)
        return true;
    return strncmp(directory, path, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static int choose_explicit(const char *path, char **ret_path, struct err *err)
{
    _cleanup_free_ char *real = realpath(path, NULL);
    struct stat status;

    if (!real || stat(real, &status) < 0)
        return err_errno(err, -errno, "workspace '%s'", path);
    if (!S_ISDIR(status.st_mode))
        return err_set(err, -EINVAL, "workspace '%s' is not a directory", path);
    *ret_path = real;
    real = NULL;
    return 0;
}

static int refuse_default(const char *cwd, const char *what, struct err *err)
{
    return err_set(
        err, -EINVAL,
        "the current directory %s %s, and a script could change all of it; go to a "
        "project's folder, or say that you mean it with the option workspace: --workspace '%s'",
        cwd, what, cwd);
}

int workspace_choose(const char *explicit_path, const char *cwd, const char *home, char **ret_path,
                     struct err *err)
{
    if (explicit_path)
        return choose_explicit(explicit_path, ret_path, err);

    _cleanup_free_ char *real_cwd = realpath(cwd, NULL);
    if (!real_cwd)
        return err_errno(err, -errno, "the current directory '%s'", cwd);
    if (strcmp(real_cwd, "/") == 0)
        return refuse_default(real_cwd, "is the root of the system", err);
    _cleanup_free_ char *real_home = home ? realpath(home, NULL) : NULL;
    const char *compared = real_home ? real_home : home;
    if (compared && strcmp(real_cwd, compared) == 0)
        return refuse_default(real_cwd, "is your home directory", err);
    if (compared && path_holds(real_cwd, compared))
        return refuse_default(real_cwd, "holds your home directory", err);
    *ret_path = real_cwd;
    real_cwd = NULL;
    return 0;
}

static char *home_from_passwd(void)
{
    struct passwd entry, *found = NULL;
    char buffer[4096];

    if (getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found) != 0 || !found)
        return NULL;
    return strdup(entry.pw_dir);
}

int workspace_choose_here(const char *explicit_path, char **ret_path, struct err *err)
{
    if (explicit_path)
        return workspace_choose(explicit_path, NULL, NULL, ret_path, err);

    _cleanup_free_ char *cwd = getcwd(NULL, 0);
    if (!cwd)
        return err_errno(err, -errno, "the current directory");
    const char *home = getenv("HOME");
    _cleanup_free_ char *fallback = home && *home ? NULL : home_from_passwd();
    return workspace_choose(NULL, cwd, home && *home ? home : fallback, ret_path, err);
}
