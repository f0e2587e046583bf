/* SPDX-License-Identifier: MIT
 *
 * Control packets: the first byte says how many fds travel, the rest is the packet. Accepted is
 * what has the right size, a known type and not too many fds; nothing stays open that was not
 * handed out.
 */
#include "base/fd.h"
#include "fuzz.h"
#include "wire/control.h"

#include <errno.h>
#include <sys/socket.h>

static bool acceptable(const uint8_t *data, size_t size, size_t fd_count)
{
    uint32_t type = 0;
    if (size >= sizeof(type))
        memcpy(&type, data, sizeof(type));
    return size == sizeof(struct control_packet) && type >= CONTROL_SETUP &&
           type < CONTROL_TYPE_COUNT && fd_count <= CONTROL_FDS_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    int pair[2], fds[FD_PASS_MAX];
    size_t fd_count = data[0] % (FD_PASS_MAX + 1);
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    for (size_t i = 0; i < fd_count; i++)
        fds[i] = pair[0];
    int next = dup(0); /* the lowest free number: it tells whether something was left open */
    fd_close(next);
    CHECK(fd_send_packet(pair[0], data + 1, size - 1, fds, fd_count) == 0);
    struct control_message message;
    int rc = control_receive(pair[1], MSG_DONTWAIT, &message);
    CHECK(rc == (acceptable(data + 1, size - 1, fd_count) ? 1 : -EPROTO));
    CHECK(message.fd_count == (rc == 1 ? fd_count : 0));
    if (rc == 1)
        CHECK(memcmp(&message.packet, data + 1, sizeof(message.packet)) == 0);
    control_close_fds(&message);
    int after = dup(0);
    CHECK(after == next);
    fd_close(after);
    fd_close(pair[0]);
    fd_close(pair[1]);
    return 0;
}
