/* SPDX-License-Identifier: MIT
 *
 * File descriptors. Listing and closing use getdents64 on a stack buffer: they run between fork and
 * exec, where malloc may be locked for ever.
 */
#include "base/fd.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#ifndef MFD_NOEXEC_SEAL /* Linux 6.3 */
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef SYS_close_range /* Linux 5.9 */
#define SYS_close_range 436
#endif

#define READ_BYTES_MIN 4096

int fd_close(int fd)
{
    if (fd >= 0) {
        int saved = errno;
        close(fd); /* EINTR means closed on Linux; a retry could hit somebody else's fd */
        errno = saved;
    }
    return -1;
}

int fd_above_stdio(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
    close(fd);
    return moved < 0 ? -error : moved;
}

int fd_set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return -errno;
    return 0;
}

int fd_set_cloexec(int fd, int on)
{
    int flags = fcntl(fd, F_GETFD);
    if (flags < 0 || fcntl(fd, F_SETFD, on ? flags | FD_CLOEXEC : flags & ~FD_CLOEXEC) < 0)
        return -errno;
    return 0;
}

int fd_write_all(int fd, const void *data, size_t length)
{
    const char *from = data;
    while (length > 0) {
        ssize_t n = write(fd, from, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        from += n;
        length -= (size_t)n;
    }
    return 0;
}

/* At the limit one more byte is asked for, to tell a file that ends there from a longer one. */
static int end_of_file_expect(int fd)
{
    char extra;
    ssize_t n;
    do
        n = read(fd, &extra, 1);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n > 0 ? -EMSGSIZE : 0;
}

int fd_read_all(int fd, struct buf *buf)
{
    for (;;) {
        size_t want = READ_BYTES_MIN;
        if (buf->limit && buf->limit - buf->length < want)
            want = buf->limit - buf->length;
        if (want == 0)
            return end_of_file_expect(fd);
        int rc = buf_reserve(buf, want);
        if (rc < 0)
            return rc;
        ssize_t n = read(fd, buf->data + buf->length, buf->capacity - buf->length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : 0;
        buf->length += (size_t)n;
    }
}

static int memfd_open(const char *name)
{
    /* With vm.memfd_noexec=2 only the first form is allowed; before Linux 6.3 only the second. */
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return fd < 0 ? -errno : fd_above_stdio(fd);
}

int fd_memfd_text(const char *name, const void *data, size_t length)
{
    _cleanup_fd_ int fd = memfd_open(name);
    if (fd < 0)
        return fd;
    int rc = fd_write_all(fd, data, length);
    if (rc < 0)
        return rc;
    if (lseek(fd, 0, SEEK_SET) < 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return -errno;
    return fd_steal(&fd);
}

struct directory_entry { /* struct linux_dirent64; libc keeps its own name for it */
    uint64_t inode;
    int64_t offset;
    uint16_t record_bytes;
    uint8_t type;
    char name[];
};

static int number_parse(const char *name)
{
    int value = 0;
    if (!*name)
        return -1;
    for (; *name; name++) {
        if (*name < '0' || *name > '9' || value > INT_MAX / 10 - 1)
            return -1;
        value = value * 10 + (*name - '0');
    }
    return value;
}

/* Calls fn for each open fd but the one used for looking; the kernel lists them in ascending order
 * and goes on by number, so that fn may close them. 0 or negative errno. */
static int fd_each(void (*fn)(void *user, int fd), void *user)
{
    _cleanup_fd_ int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return -errno;
    char entries[2048] __attribute__((aligned(8)));
    long bytes;
    while ((bytes = syscall(SYS_getdents64, directory, entries, sizeof(entries))) > 0) {
        for (long at = 0; at < bytes;) {
            const struct directory_entry *entry = (const void *)(entries + at);
            int fd = number_parse(entry->name);
            if (fd >= 0 && fd != directory)
                fn(user, fd);
            at += entry->record_bytes;
        }
    }
    return bytes < 0 ? -errno : 0;
}

struct fd_listing {
    int *fds;
    size_t capacity;
    size_t count;
};

static void listing_add(void *user, int fd)
{
    struct fd_listing *listing = user;
    if (listing->count < listing->capacity)
        listing->fds[listing->count] = fd;
    listing->count++;
}

int fd_list(int *ret_fds, size_t capacity)
{
    struct fd_listing listing = {.fds = ret_fds, .capacity = capacity};
    int rc = fd_each(listing_add, &listing);
    return rc < 0 ? rc : (int)listing.count;
}

struct fd_keep {
    int first;
    const int *fds;
    size_t count;
};

static void close_unless_kept(void *user, int fd)
{
    const struct fd_keep *keep = user;
    for (size_t i = 0; i < keep->count; i++) {
        if (keep->fds[i] == fd)
            return;
    }
    if (fd >= keep->first)
        fd_close(fd);
}

static int range_close(unsigned first, unsigned last)
{
    if (first > last)
        return 0;
    return syscall(SYS_close_range, first, last, 0) < 0 ? -errno : 0;
}

static int ranges_close(const struct fd_keep *keep)
{
    unsigned from = (unsigned)keep->first;
    for (size_t i = 0; i < keep->count; i++) {
        if (keep->fds[i] < (int)from)
            continue;
        int rc = keep->fds[i] > (int)from ? range_close(from, (unsigned)keep->fds[i] - 1) : 0;
        if (rc < 0)
            return rc;
        from = (unsigned)keep->fds[i] + 1;
    }
    return range_close(from, UINT_MAX);
}

/* Without close_range(2) and without /proc. An fd above a limit that was lowered later is missed.
 */
static int every_number_close(struct fd_keep *keep)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return -errno;
    int end = limit.rlim_max > (1 << 20) ? 1 << 20 : (int)limit.rlim_max;
    for (int fd = keep->first; fd < end; fd++)
        close_unless_kept(keep, fd);
    return 0;
}

int fd_close_all_except(int first, const int *keep, size_t keep_count)
{
    struct fd_keep kept = {.first = first < 0 ? 0 : first, .fds = keep, .count = keep_count};
    if (ranges_close(&kept) == 0 || fd_each(close_unless_kept, &kept) == 0)
        return 0;
    return every_number_close(&kept);
}

int fd_pidfd_open(pid_t pid)
{
    long fd = syscall(SYS_pidfd_open, pid, 0); /* always close-on-exec */
    return fd < 0 ? -errno : fd_above_stdio((int)fd);
}

int fd_pidfd_signal(int pidfd, int sig)
{
    return syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0) < 0 ? -errno : 0;
}
