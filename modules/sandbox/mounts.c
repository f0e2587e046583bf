/* SPDX-License-Identifier: MIT
 *
 * The mounts of one run, made in its own mount namespace: a private /tmp and /dev/shm, an own
 * /proc, and the workspace where the user knows it, also when that is below /tmp.
 */
#include "sandbox/sandbox.h"

#include "base/fd.h"
#include "base/str.h"
#include "wire/layers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif
#ifndef MOVE_MOUNT_F_EMPTY_PATH
#define MOVE_MOUNT_F_EMPTY_PATH 4
#endif
#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif

/* The host said which directory it means; between its look and ours the path may have been replaced
 * by something else. */
static int workspace_open(const struct mounts *mounts)
{
    _cleanup_fd_ int fd = open(mounts->workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (mounts->workspace_inode &&
        (st.st_dev != mounts->workspace_device || st.st_ino != mounts->workspace_inode))
        return -ESTALE;
    return fd_steal(&fd);
}

static int tmpfs_mount(const char *path, const struct mounts *mounts)
{
    char options[128];

    snprintf(options, sizeof options, "mode=1777,size=%llu,nr_inodes=%llu",
             (unsigned long long)mounts->tmp_bytes, (unsigned long long)mounts->tmp_inodes);
    return mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options) < 0 ? -errno : 0;
}

/* mkdir -p inside the fresh tmpfs, which nobody else can touch yet. */
static int directory_make(const char *path)
{
    char copy[4096];
    size_t length = strlen(path);

    if (length >= sizeof copy)
        return -ENAMETOOLONG;
    memcpy(copy, path, length + 1);
    for (char *slash = copy + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (mkdir(copy, 0755) < 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return mkdir(copy, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

/* Clones the workspace's mount before /tmp covers it; the clone is attached again afterwards. */
static int workspace_clone(int workspace_fd)
{
    long fd = syscall(SYS_open_tree, workspace_fd, "",
                      OPEN_TREE_CLONE | AT_RECURSIVE | AT_EMPTY_PATH | O_CLOEXEC);

    return fd < 0 ? -errno : (int)fd;
}

static int workspace_attach(int tree_fd, const char *path)
{
    int r = directory_make(path);

    if (r < 0)
        return r;
    if (syscall(SYS_move_mount, tree_fd, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
        return -errno;
    return 0;
}

static bool is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);

    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* A container that masks parts of /proc gets EPERM here (the kernel refuses a view that reveals
 * more). Then an empty directory stands there: the host's /proc would show its processes. */
static int proc_mount(unsigned *layers)
{
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0) {
        *layers |= LAYER_OWN_PROC;
        return 0;
    }
    if (mount("tmpfs", "/proc", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, NULL) < 0)
        return -errno;
    return 0;
}

static int tmp_apply(const struct mounts *mounts, int workspace_fd, unsigned *layers)
{
    bool covered = mounts->workspace &&
                   (is_below(mounts->workspace, "/tmp") || is_below(mounts->workspace, "/dev/shm"));
    _cleanup_fd_ int tree_fd = -1;
    int r;

    if (covered) {
        tree_fd = workspace_clone(workspace_fd);
        if (tree_fd < 0)
            return tree_fd;
    }
    r = tmpfs_mount("/tmp", mounts);
    if (r < 0)
        return r;
    if (access("/dev/shm", F_OK) == 0) {
        r = tmpfs_mount("/dev/shm", mounts);
        if (r < 0)
            return r;
    }
    *layers |= LAYER_PRIVATE_TMP;
    return covered ? workspace_attach(tree_fd, mounts->workspace) : 0;
}

int mounts_apply(const struct mounts *mounts, unsigned *layers, int *ret_workspace_fd)
{
    _cleanup_fd_ int workspace_fd = -1;
    int r;

    /* Nothing that we mount may travel back to the host's view. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return -errno;
    if (mounts->workspace) {
        workspace_fd = workspace_open(mounts);
        if (workspace_fd < 0)
            return workspace_fd;
    }
    r = tmp_apply(mounts, workspace_fd, layers);
    if (r == 0)
        r = proc_mount(layers);
    if (r < 0)
        return r;
    if (mounts->workspace) { /* as the run sees it: the clone, not what /tmp covers now */
        workspace_fd = fd_close(workspace_fd);
        workspace_fd = workspace_open(mounts);
        if (workspace_fd < 0)
            return workspace_fd;
    }
    *ret_workspace_fd = fd_steal(&workspace_fd);
    return 0;
}
