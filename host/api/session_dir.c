/* SPDX-License-Identifier: MIT
 *
 * Makes BASE/NAME with mode 0700 and refuses anything there that is not the user's own directory: a
 * run is going to write into it.
 */
#include "api/session_dir.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_LENGTH_MAX 64

static bool name_is_safe(const char *name)
{
    size_t length = strlen(name);

    if (length == 0 || length > NAME_LENGTH_MAX || name[0] == '.')
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("-_.", name[i]))
            return false;
    return true;
}

static char *base_default(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    if (state && state[0] == '/')
        return str_format("%s/ptc-host/sessions", state);
    return home && home[0] == '/' ? str_format("%s/.local/state/ptc-host/sessions", home) : NULL;
}

/* mkdir -p; what is there already is left as it is. */
static int directories_make(const char *path)
{
    _cleanup_free_ char *copy = strdup(path);

    if (!copy)
        return -ENOMEM;
    for (char *slash = copy + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (mkdir(copy, 0700) < 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return mkdir(copy, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

/* No symlink, a directory, ours, nobody else's business. */
static int directory_check(const char *path, struct err *err)
{
    _cleanup_fd_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return err_errno(err, -errno, "the session's folder %s cannot be used", path);
    if (fstat(fd, &st) < 0)
        return err_errno(err, -errno, "the session's folder %s", path);
    if (st.st_uid != geteuid())
        return err_set(err, -EINVAL, "the session's folder %s belongs to somebody else", path);
    if ((st.st_mode & 077) && fchmod(fd, 0700) < 0)
        return err_errno(err, -errno, "the session's folder %s cannot be made private", path);
    return 0;
}

int session_dir_open(const char *given, const char *name, char **ret_path, struct err *err)
{
    _cleanup_free_ char *base = given ? strdup(given) : base_default();
    _cleanup_free_ char *path = NULL;
    int r;

    if (!name_is_safe(name))
        return err_set(
            err, -EINVAL,
            "session: '%.80s' is no name for a session (letters, digits, '-', '_' and '.', "
            "at most %d, not '.' first)",
            name, NAME_LENGTH_MAX);
    if (!base)
        return err_set(err, -ENOENT,
                       "there is no place for sessions: neither XDG_STATE_HOME nor HOME");
    r = directories_make(base);
    if (r < 0)
        return err_errno(err, r, "the folder for sessions %s cannot be made", base);
    path = str_format("%s/%s", base, name);
    if (!path)
        return err_errno(err, -ENOMEM, "session");
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return err_errno(err, -errno, "the session's folder %s cannot be made", path);
    r = directory_check(path, err);
    if (r < 0)
        return r;
    *ret_path = realpath(path, NULL);
    return *ret_path ? 0 : err_errno(err, -errno, "session");
}
