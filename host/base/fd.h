/* SPDX-License-Identifier: MIT
 *
 * File descriptors: closing, whole reads and writes, passing over sockets. Everything that is
 * created here is close-on-exec.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

struct buf;

int fd_close(int fd); /* closes when fd >= 0, keeps errno, returns -1: `fd = fd_close(fd)` */

static inline void fd_cleanup(int *fd)
{
    fd_close(*fd);
}
#define _cleanup_fd_ __attribute__((cleanup(fd_cleanup)))

static inline int fd_steal(int *fd)
{
    int stolen = *fd;
    *fd = -1;
    return stolen;
}

/* Moves a new fd of ours out of 0, 1 and 2, which are free in a process that closed them: what somebody
 * prints there must not end up in a socket of ours. Takes fd over. The fd or negative errno; a
 * negative fd is returned as it is. */
int fd_above_stdio(int fd);

int fd_set_nonblocking(int fd);
int fd_set_cloexec(int fd, int on);

/* All of data, whatever write(2) takes at a time; EINTR is retried. 0 or negative errno. */
int fd_write_all(int fd, const void *data, size_t length);

/* Reads to the end of file into buf (its limit applies). 0 or negative errno. */
int fd_read_all(int fd, struct buf *buf);

/* A sealed memfd that holds data, offset 0. Returns the fd or negative errno. */
int fd_memfd_text(const char *name, const void *data, size_t length);

/* One SEQPACKET message with up to FD_PASS_MAX fds. MSG_NOSIGNAL. 0 or negative errno. */
#define FD_PASS_MAX 16
int fd_send_packet(int socket, const void *data, size_t length, const int *fds, size_t fd_count);
int fd_send_packet_flags(int socket, int flags, const void *data, size_t length, const int *fds,
                         size_t fd_count); /* flags: 0 or MSG_DONTWAIT */

/* Receives one packet. Received fds are close-on-exec and belong to the caller; more fds than
 * fd_capacity, or a truncated packet, is -EPROTO with everything closed. Returns bytes received,
 * 0 at end of file, negative errno (-EAGAIN when nothing waits and flags has MSG_DONTWAIT). */
ssize_t fd_receive_packet(int socket, int flags, void *data, size_t size, int *fds,
                          size_t fd_capacity, size_t *ret_fd_count);

/* Closes every fd from first up that is not in keep (sorted ascending). Uses close_range(2), falls
 * back to /proc/self/fd, then to the NOFILE limit. 0 or negative errno. */
int fd_close_all_except(int first, const int *keep, size_t keep_count);

/* The open fds of this process in ascending order (the fd used for looking is left out), or
 * negative errno. At most capacity are stored; the return value is the full count. */
int fd_list(int *ret_fds, size_t capacity);

int fd_pidfd_open(pid_t pid);            /* close-on-exec pidfd or negative errno */
int fd_pidfd_signal(int pidfd, int sig); /* 0 or negative errno */
