/* SPDX-License-Identifier: MIT
 *
 * Control packets. The struct travels as it is: both ends are of the same build on one machine.
 */
#include "wire/control.h"

#include "base/fd.h"

#include <errno.h>
#include <string.h>

_Static_assert(sizeof(struct control_packet) == 8 + 8 * CONTROL_VALUES, "no padding may leak");
_Static_assert(CONTROL_FDS_MAX <= FD_PASS_MAX, "fds must fit into one packet");

static int type_is_known(uint32_t type)
{
    return type >= CONTROL_SETUP && type < CONTROL_TYPE_COUNT;
}

int control_send(int socket, const struct control_message *message)
{
    return control_send_flags(socket, 0, message);
}

int control_send_flags(int socket, int flags, const struct control_message *message)
{
    if (!type_is_known(message->packet.type) || message->fd_count > CONTROL_FDS_MAX)
        return -EINVAL;
    return fd_send_packet_flags(socket, flags, &message->packet, sizeof(message->packet),
                                message->fds, message->fd_count);
}

int control_receive(int socket, int flags, struct control_message *ret_message)
{
    struct control_message message = {0};
    ssize_t n = fd_receive_packet(socket, flags, &message.packet, sizeof(message.packet),
                                  message.fds, CONTROL_FDS_MAX, &message.fd_count);
    *ret_message = (struct control_message){0};
    if (n <= 0)
        return (int)n;
    if ((size_t)n != sizeof(message.packet) || !type_is_known(message.packet.type)) {
        control_close_fds(&message);
        return -EPROTO;
    }
    *ret_message = message;
    return 1;
}

void control_close_fds(struct control_message *message)
{
    for (size_t i = 0; i < message->fd_count; i++)
        message->fds[i] = fd_close(message->fds[i]);
    message->fd_count = 0;
}
