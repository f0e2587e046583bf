/* SPDX-License-Identifier: MIT
 *
 * Path resolution and opening. The base of relative paths is the workspace. Names below it are
 * reached from the pinned workspace fd, so an unsearchable parent of the workspace does no harm.
 */
#include "tools/path.h"

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#define HOPS_MAX 40 /* the kernel's own limit */

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static void drop_last_part(char *path, size_t *length)
{
    while (*length > 0 && path[*length - 1] != '/') {
        (*length)--;
    }
    if (*length > 0) {
        (*length)--;
    }
    path[*length] = '\0';
}

char *path_normalise(const char *path)
{
    char *out = malloc(strlen(path) + 2);
    size_t length = 0;

    if (out == NULL) {
        return NULL;
    }
    out[0] = '\0';
    while (*path != '\0') {
        size_t part = strcspn(path, "/");
        if (part == 2 && path[0] == '.' && path[1] == '.') {
            drop_last_part(out, &length);
        } else if (part > 0 && !(part == 1 && path[0] == '.')) {
            out[length++] = '/';
            memcpy(out + length, path, part);
            length += part;
            out[length] = '\0';
        }
        path += part + (path[part] == '/');
    }
    if (length == 0) {
        memcpy(out, "/", 2);
    }
    return out;
}

static bool is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);

    if (length == 1) { /* "/" */
        return true;
    }
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

bool path_in_workspace(const struct tool_call *call, const char *path)
{
    return is_below(path, call->state->workspace);
}

/* The fd and the name to reach an absolute path from: the workspace fd where that is shorter. */
static int path_at(const struct tools_state *state, const char *path, const char **ret_name)
{
    size_t length = strlen(state->workspace);

    *ret_name = path;
    if (state->workspace_fd < 0 || length == 1 || !is_below(path, state->workspace)) {
        return AT_FDCWD;
    }
    *ret_name = path[length] == '\0' || path[length + 1] == '\0' ? "." : path + length + 1;
    return state->workspace_fd;
}

/* The home directory of ~name from /etc/passwd itself: name services would load libraries here. */
static char *home_of_user(const char *name, size_t length)
{
    struct passwd entry, *found = NULL;
    char scratch[4096];
    char *home = NULL;
    FILE *file = fopen("/etc/passwd", "re");

    if (file == NULL) {
        return NULL;
    }
    while (home == NULL && fgetpwent_r(file, &entry, scratch, sizeof(scratch), &found) == 0) {
        if (strlen(entry.pw_name) == length && memcmp(entry.pw_name, name, length) == 0) {
            home = strdup(entry.pw_dir);
        }
    }
    fclose(file);
    return home;
}

/* Absolute text: ~ and ~name expanded, relative text put below the workspace. */
static char *path_absolute(const struct tool_call *call, const char *text, bool *ret_relative)
{
    *ret_relative = false;
    if (text[0] == '/') {
        return strdup(text);
    }
    if (text[0] == '~') {
        size_t name = strcspn(text + 1, "/");
        _cleanup_free_ char *home =
            name > 0 ? home_of_user(text + 1, name)
                     : strdup(call->config->home != NULL ? call->config->home : "/");
        if (home != NULL) {
            return str_format("%s%s", home, text + 1 + name);
        }
    }
    *ret_relative = true;
    return str_format("%s/%s", call->state->workspace, text);
}

static int rule_apply(const struct tool_call *call, path_rule rule, const char *path,
                      struct err *err)
{
    _cleanup_free_ char *normal = path_normalise(path);
    const char *reason = NULL;

    if (normal == NULL) {
        return err_set(err, -ENOMEM, "no memory");
    }
    reason = rule != NULL ? rule(call->config, normal) : NULL;
    return reason != NULL ? err_set(err, -EACCES, "%s", reason) : 0;
}

/* The walk: `done` is resolved, `rest` is text still to walk. */
struct walk {
    char done[PATH_MAX];
    size_t length;
    char *rest;
    bool missing; /* something in done does not exist: from here on the walk is lexical */
    int hops;
};

/* Puts the link's target in front of what is left to walk. */
static int walk_follow(const struct tool_call *call, struct walk *walk, size_t parent_length,
                       const char *target, const char *rest, path_rule rule, struct err *err)
{
    _cleanup_free_ char *next = NULL;
    _cleanup_free_ char *whole = NULL;

    if (++walk->hops > HOPS_MAX) {
        return err_set(err, -ELOOP, "too many symbolic links (a loop?)");
    }
    walk->length = target[0] == '/' ? 0 : parent_length;
    walk->done[walk->length] = '\0';
    next = str_format("%s/%s", target, rest);
    whole = next != NULL ? str_format("%s/%s", walk->done, next) : NULL;
    if (whole == NULL) {
        return err_set(err, -ENOMEM, "no memory");
    }
    free(walk->rest);
    walk->rest = next;
    next = NULL;
    return rule_apply(call, rule, whole, err);
}

/* Appends one part. 1: it is a link, whose target is in `target`. */
static int walk_enter(const struct tool_call *call, struct walk *walk, const char *part,
                      size_t part_length, char target[PATH_MAX])
{
    const char *name = NULL;
    ssize_t length = 0;
    int at = 0;

    if (walk->length + 1 + part_length >= sizeof(walk->done)) {
        return -ENAMETOOLONG;
    }
    walk->done[walk->length++] = '/';
    memcpy(walk->done + walk->length, part, part_length);
    walk->length += part_length;
    walk->done[walk->length] = '\0';
    if (walk->missing) {
        return 0;
    }
    at = path_at(call->state, walk->done, &name);
    length = readlinkat(at, name, target, PATH_MAX - 1);
    if (length >= 0) {
        target[length] = '\0';
        return 1;
    }
    if (errno == ENOENT) {
        walk->missing = true;
        return 0;
    }
    return errno == EINVAL ? 0 : -errno;
}

/* Takes one part off the front of rest. 0, or negative errno. */
static int walk_step(const struct tool_call *call, struct walk *walk, path_rule rule,
                     struct err *err)
{
    char target[PATH_MAX];
    size_t part = strcspn(walk->rest, "/");
    size_t parent = walk->length;
    size_t used = part + (walk->rest[part] == '/');
    int r = 0;

    if (part == 2 && memcmp(walk->rest, "..", 2) == 0) {
        drop_last_part(walk->done, &walk->length);
    } else if (part > 0 && !(part == 1 && walk->rest[0] == '.')) {
        r = walk_enter(call, walk, walk->rest, part, target);
        if (r == 1) {
            _cleanup_free_ char *rest = strdup(walk->rest + used);
            if (rest == NULL) {
                return err_set(err, -ENOMEM, "no memory");
            }
            return walk_follow(call, walk, parent, target, rest, rule, err);
        }
        if (r < 0) {
            return err_set(err, r, "%s", strerrordesc_np(-r));
        }
    }
    memmove(walk->rest, walk->rest + used, strlen(walk->rest + used) + 1);
    return 0;
}

int path_resolve(const struct tool_call *call, const char *text, path_rule rule,
                 struct path *ret_path, struct err *err)
{
    _cleanup_free_ struct walk *walk = calloc(1, sizeof(*walk));
    _cleanup_free_ char *absolute = NULL;
    int r = 0;

    *ret_path = (struct path){0};
    absolute = path_absolute(call, text, &ret_path->relative);
    if (walk == NULL || absolute == NULL) {
        return err_set(err, -ENOMEM, "no memory");
    }
    if (strlen(absolute) >= PATH_MAX) {
        return err_set(err, -ENAMETOOLONG, "%s", strerrordesc_np(ENAMETOOLONG));
    }
    r = rule_apply(call, rule, absolute, err);
    walk->rest = absolute;
    absolute = NULL;
    while (r == 0 && walk->rest[0] != '\0') {
        r = walk_step(call, walk, rule, err);
    }
    if (r == 0) {
        ret_path->real = strdup(walk->length > 0 ? walk->done : "/");
        r = ret_path->real != NULL ? rule_apply(call, rule, ret_path->real, err)
                                   : err_set(err, -ENOMEM, "no memory");
    }
    free(walk->rest);
    if (r < 0) {
        free(ret_path->real);
        ret_path->real = NULL;
    }
    return r;
}

int path_open(const struct tool_call *call, const char *real, int flags)
{
    const char *name = NULL;
    int at = path_at(call->state, real, &name);
    struct open_how how = {
        .flags = (unsigned)flags | O_CLOEXEC | O_NOFOLLOW,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    int fd = -1;

    if ((flags & O_PATH) == 0) { /* openat2 refuses what O_PATH would ignore */
        how.flags |= O_NOCTTY | O_NONBLOCK;
    }
    if (at != AT_FDCWD) {
        how.resolve |= RESOLVE_BENEATH;
    }
    fd = (int)syscall(SYS_openat2, at, name, &how, sizeof(how));
    if (fd < 0 && errno == ENOSYS) { /* before Linux 5.6, or a filter that does not know it */
        fd = openat(at, name, (int)how.flags);
    }
    return fd < 0 ? -errno : fd;
}

static int regular_or_error(mode_t mode)
{
    if (S_ISREG(mode)) {
        return 0;
    }
    return S_ISDIR(mode) ? -EISDIR : -ENOTBLK;
}

int path_open_regular(const struct tool_call *call, const char *real, struct stat *ret_status)
{
    _cleanup_fd_ int look = path_open(call, real, O_PATH);
    _cleanup_fd_ int fd = -1;
    int r = 0;

    if (look < 0) {
        return look;
    }
    if (fstat(look, ret_status) < 0) {
        return -errno;
    }
    r = regular_or_error(ret_status->st_mode);
    if (r < 0) {
        return r;
    }
    fd = path_open(call, real, O_RDONLY);
    if (fd < 0) {
        return fd;
    }
    if (fstat(fd, ret_status) < 0) { /* what counts is the file that is open now */
        return -errno;
    }
    r = regular_or_error(ret_status->st_mode);
    return r < 0 ? r : fd_steal(&fd);
}

const char *path_type_name(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return "regular file";
    case S_IFDIR:
        return "directory";
    case S_IFIFO:
        return "FIFO";
    case S_IFSOCK:
        return "socket";
    case S_IFCHR:
        return "character device";
    case S_IFBLK:
        return "block device";
    default:
        return "symbolic link";
    }
}
