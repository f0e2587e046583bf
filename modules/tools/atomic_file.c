/* SPDX-License-Identifier: MIT
 *
 * Write beside, then rename over. Everything is relative to the directory's fd.
 */
#include "tools/atomic_file.h"

#include "base/fd.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/xattr.h>

#define XATTR_BYTES_MAX 65536

struct temporary {
    int directory_fd;
    int fd;
    char name[32]; /* "" while it has none */
};

static void temporary_cleanup(struct temporary *file)
{
    fd_close(file->fd);
    if (file->name[0] != '\0') {
        unlinkat(file->directory_fd, file->name, 0);
    }
}

static void temporary_make_name(struct temporary *file)
{
    unsigned long long random = 0;

    if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        random = (unsigned long long)(uintptr_t)file; /* O_EXCL finds a clash */
    }
    snprintf(file->name, sizeof(file->name), ".ptc-tmp.%016llx", random);
}

static int temporary_open(struct temporary *file, mode_t mode, bool named)
{
    if (!named) {
        file->fd = openat(file->directory_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
        return file->fd >= 0 ? 0 : -EOPNOTSUPP; /* whatever the reason: the other way will tell */
    }
    temporary_make_name(file);
    file->fd = openat(file->directory_fd, file->name,
                      O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, mode);
    if (file->fd < 0) {
        int r = -errno;
        file->name[0] = '\0'; /* not ours to remove */
        return r;
    }
    return 0;
}

/* Access lists, labels, user attributes: as far as the kernel lets us. */
static void copy_xattrs(int from, int to)
{
    _cleanup_free_ char *names = malloc(XATTR_BYTES_MAX);
    _cleanup_free_ char *value = malloc(XATTR_BYTES_MAX);
    ssize_t length = 0;

    if (names == NULL || value == NULL) {
        return;
    }
    length = flistxattr(from, names, XATTR_BYTES_MAX);
    for (const char *name = names; length > 0 && name < names + length;) {
        size_t used = strlen(name) + 1;
        ssize_t size = fgetxattr(from, name, value, XATTR_BYTES_MAX);
        if (size >= 0) {
            fsetxattr(to, name, value, (size_t)size, 0);
        }
        name += used;
    }
}

/* The owner before the mode, because chown clears set-user-id bits. */
static int copy_attributes(int fd, const struct stat *old, int old_fd)
{
    if (old->st_uid != geteuid() || old->st_gid != getegid()) {
        if (fchown(fd, geteuid() == 0 ? old->st_uid : (uid_t)-1, old->st_gid) < 0) {
            errno = 0; /* not permitted or not mapped here: the file becomes ours */
        }
    }
    copy_xattrs(old_fd, fd);
    return fchmod(fd, old->st_mode & 07777) < 0 ? -errno : 0;
}

/* Gives an unnamed file a name of its own, or right away the final one when that is free. */
static int temporary_link(struct temporary *file, const char *base)
{
    char link[64];

    snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
    if (linkat(AT_FDCWD, link, file->directory_fd, base, AT_SYMLINK_FOLLOW) == 0) {
        return 0;
    }
    return errno == EEXIST ? -EEXIST : -EOPNOTSUPP;
}

static int temporary_publish(struct temporary *file, const char *base, bool replaces)
{
    int r = 0;

    if (file->name[0] == '\0') {
        r = replaces ? -EEXIST : temporary_link(file, base);
        if (r != -EEXIST) {
            return r;
        }
        temporary_make_name(file);
        r = temporary_link(file, file->name);
        if (r < 0) {
            file->name[0] = '\0';
            return -EOPNOTSUPP;
        }
    }
    if (renameat(file->directory_fd, file->name, file->directory_fd, base) < 0) {
        return -errno;
    }
    file->name[0] = '\0';
    return 0;
}

/* -EOPNOTSUPP: try again with a name. */
static int write_once(int directory_fd, const char *base, const struct stat *old, int old_fd,
                      const void *data, size_t length, bool named)
{
    struct temporary file
        __attribute__((cleanup(temporary_cleanup))) = {.directory_fd = directory_fd, .fd = -1};
    /* A private file's text must not be readable by others for a moment. */
    int r = temporary_open(&file, old != NULL ? 0600 : 0666, named);

    if (r == 0) {
        r = fd_write_all(file.fd, data, length);
    }
    if (r == 0 && old != NULL) {
        r = copy_attributes(file.fd, old, old_fd);
    }
    return r == 0 ? temporary_publish(&file, base, old != NULL) : r;
}

int atomic_file_write(int directory_fd, const char *base, const struct stat *old, int old_fd,
                      const void *data, size_t length)
{
    int r = write_once(directory_fd, base, old, old_fd, data, length, false);

    return r == -EOPNOTSUPP ? write_once(directory_fd, base, old, old_fd, data, length, true) : r;
}
