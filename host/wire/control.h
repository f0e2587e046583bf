/* SPDX-License-Identifier: MIT
 *
 * Control packets between host, zygote and init, over SEQPACKET sockets: numbers and fds, no text
 * ever comes back. One fixed struct; a packet of another size or with an unknown type is a protocol
 * violation. The only text goes down, once, in a sealed memfd that travels with SETUP and BIND.
 *
 *   host -> zygote   SETUP {fds: setup memfd, host pidfd}
 *                    FORK {run, values[0]: bits of enum fork_flags;
 *                          fds: init channel, call channel, stdout, stderr}
 *   zygote -> host   READY {values[0]: 0 or -errno, [1]: 1 when its stderr names modules that could not
 *                           be imported}
 *                    FORKED {run, values[0]: init's pid as the host sees it or -errno, [1]: why there
 *                            are no namespaces (-errno) or 0; fds: init's pidfd}
 *                    EXITED {run, values[0]: wait status of init}
 *   host -> init     BIND {fds: bind memfd}      (what differs by run: modules/child/setup.h)
 *                    TOOLS {fds: tools channel}
 *                    FREEZE, THAW, SIGNAL {values[0]: signal for the script}, KILL
 *   init -> host     LAYERS {values[0]: bits of enum layer, [1]: 0 or -errno: the run cannot begin}
 *                    EXITED {values[0]: wait status of the script, [1] user us, [2] system us,
 *                            [3] max rss KiB}
 *                    TOOLS_EXITED {values[0]: wait status}
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum control_type {
    CONTROL_SETUP = 1,
    CONTROL_READY,
    CONTROL_FORK,
    CONTROL_FORKED,
    CONTROL_EXITED,
    CONTROL_BIND,
    CONTROL_LAYERS,
    CONTROL_TOOLS,
    CONTROL_TOOLS_EXITED,
    CONTROL_FREEZE,
    CONTROL_THAW,
    CONTROL_SIGNAL,
    CONTROL_KILL,
    CONTROL_TYPE_COUNT
};

#define CONTROL_VALUES  6
#define CONTROL_FDS_MAX 4

struct control_packet {
    uint32_t type;
    uint32_t run; /* the host's number of the run; 0 where none is meant */
    int64_t values[CONTROL_VALUES];
};

struct control_message {
    struct control_packet packet;
    int fds[CONTROL_FDS_MAX]; /* received ones belong to the receiver */
    size_t fd_count;
};

/* 0 or negative errno. fds stay the caller's. flags: 0 or MSG_DONTWAIT. */
int control_send(int socket, const struct control_message *message);
int control_send_flags(int socket, int flags, const struct control_message *message);

/* 1: a message; 0: end of file; -EAGAIN; -EPROTO: not a control packet (fds are closed). */
int control_receive(int socket, int flags, struct control_message *ret_message);

void control_close_fds(struct control_message *message);
