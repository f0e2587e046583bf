/* SPDX-License-Identifier: MIT
 *
 * Where the rules of gitignore come from: each directory's own file, those of the directories
 * above up to the top of the repository, and the repository's info/exclude.
 */
#include "base/fd.h"
#include "base/str.h"
#include "tools/walk_private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define RULES_BYTES_MAX (1024u * 1024u)

/* The rules in a file, NULL when there is none that can be read. */
static struct ignore_rules *rules_read(int directory_fd, const char *name)
{
    _cleanup_buf_ struct buf text = BUF_INIT(RULES_BYTES_MAX);
    _cleanup_fd_ int fd =
        openat(directory_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
        fd_read_all(fd, &text) < 0) {
        return NULL;
    }
    return ignore_rules_parse((const char *)text.data, text.length);
}

struct ignore_level *walk_rules_enter(struct ignore_level *parent, int directory_fd, size_t base,
                                      bool has_rules, bool has_git)
{
    struct ignore_rules *rules = NULL;

    if (has_git) { /* the top of a repository: what lies above does not concern it */
        ignore_level_unref(parent);
        parent = NULL;
        rules = rules_read(directory_fd, ".git/info/exclude");
        parent = rules != NULL ? ignore_level_new(NULL, rules, base) : NULL;
    }
    rules = has_rules ? rules_read(directory_fd, ".gitignore") : NULL;
    return rules != NULL ? ignore_level_new(parent, rules, base) : parent;
}

/* One directory above the root. */
static struct ignore_level *rules_above_enter(struct ignore_level *parent, const char *directory)
{
    _cleanup_fd_ int fd =
        open(directory[0] != '\0' ? directory : "/", O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

    return fd < 0 ? parent
                  : walk_rules_enter(parent, fd, strlen(directory) + 1, true,
                                     faccessat(fd, ".git", F_OK, AT_SYMLINK_NOFOLLOW) == 0);
}

static bool is_top(const char *directory)
{
    _cleanup_free_ char *git = str_format("%s/.git", directory);

    return git != NULL && faccessat(AT_FDCWD, git, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* True when real lies in top and top is not the whole file system. */
static bool is_below(const char *real, const char *top)
{
    size_t length = strlen(top);

    return length > 1 && strncmp(real, top, length) == 0 && real[length] == '/';
}

/* How much of the root's name is the directory where the rules begin: the top of its repository,
 * else the workspace it lies in. The whole name: nothing above the root counts. */
static size_t top_length(char *real, const char *workspace)
{
    size_t whole = strlen(real), length = whole;

    while (length > 1) {
        char *slash = NULL;
        if (is_top(real)) {
            break;
        }
        slash = strrchr(real, '/');
        length = (size_t)(slash - real);
        *slash = '\0';
    }
    for (size_t i = length; i < whole; i++) {
        real[i] = real[i] == '\0' ? '/' : real[i];
    }
    if (length > 1) {
        return length;
    }
    return is_below(real, workspace) ? strlen(workspace) : whole;
}

struct ignore_level *walk_rules_above(const struct walk_root *root, const char *workspace)
{
    _cleanup_free_ char *directory = strdup(root->real);
    struct ignore_level *level = NULL;
    size_t top = 0;

    if (directory == NULL || directory[0] == '\0') {
        return NULL;
    }
    top = top_length(directory, workspace);
    for (char *at = directory + top; *at == '/'; at += strcspn(at, "/")) {
        *at = '\0';
        level = rules_above_enter(level, directory);
        *at++ = '/';
    }
    return level;
}
