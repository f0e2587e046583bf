/* SPDX-License-Identifier: MIT
 *
 * Packets with file descriptors over SEQPACKET sockets. The peer may be hostile: whatever it sends,
 * no received fd is left open that the caller does not know of.
 */
#include "base/fd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define FDS_BYTES CMSG_SPACE(FD_PASS_MAX * sizeof(int))

union control_area {
    struct cmsghdr align;
    char bytes[FDS_BYTES];
};

static void fds_attach(struct msghdr *message, union control_area *area, const int *fds,
                       size_t fd_count)
{
    memset(area, 0, sizeof(*area)); /* padding must not carry our stack to the peer */
    message->msg_control = area->bytes;
    message->msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
    memcpy(CMSG_DATA(header), fds, fd_count * sizeof(int));
}

int fd_send_packet_flags(int socket, int flags, const void *data, size_t length, const int *fds,
                         size_t fd_count)
{
    /* An empty packet could not be told from the end of file at the other end. */
    if (length == 0 || fd_count > FD_PASS_MAX)
        return -EINVAL;
    struct iovec part = {.iov_base = (void *)data, .iov_len = length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    union control_area area;
    if (fd_count > 0)
        fds_attach(&message, &area, fds, fd_count);
    ssize_t n;
    do
        n = sendmsg(socket, &message, flags | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    return (size_t)n == length ? 0 : -EIO;
}

int fd_send_packet(int socket, const void *data, size_t length, const int *fds, size_t fd_count)
{
    return fd_send_packet_flags(socket, 0, data, length, fds, fd_count);
}

/* Collects the fds of all SCM_RIGHTS of the message. */
static size_t fds_collect(struct msghdr *message, int fds[FD_PASS_MAX])
{
    size_t count = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
         header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        size_t here = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(fds + count, CMSG_DATA(header), here * sizeof(int)); /* area holds FD_PASS_MAX */
        count += here;
    }
    return count;
}

static void fds_close(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fd_close(fds[i]);
}

ssize_t fd_receive_packet(int socket, int flags, void *data, size_t size, int *fds,
                          size_t fd_capacity, size_t *ret_fd_count)
{
    struct iovec part = {.iov_base = data, .iov_len = size};
    union control_area area;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = area.bytes,
                             .msg_controllen = sizeof(area.bytes)};
    if (ret_fd_count)
        *ret_fd_count = 0;
    ssize_t n;
    do
        n = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    int received[FD_PASS_MAX];
    size_t count = fds_collect(&message, received);
    bool cut = message.msg_flags & (MSG_TRUNC | MSG_CTRUNC);
    if (cut || count > fd_capacity || (n == 0 && count > 0)) {
        fds_close(received, count);
        return -EPROTO;
    }
    if (count > 0)
        for (size_t i = 0; i < count; i++)
            fds[i] = fd_above_stdio(received[i]);
    if (ret_fd_count)
        *ret_fd_count = count;
    return n;
}
