/* SPDX-License-Identifier: MIT
 *
 * Starting ptc-child: posix_spawn, never fork, so that a host with threads and gigabytes is safe.
 */
#pragma once

#include <sys/types.h>

struct err;

struct spawned {
    pid_t pid;
    int pidfd;
    int control_fd; /* SEQPACKET, non-blocking */
    int stderr_fd;  /* memfd */
};

int spawn_child(const char *child_path, struct spawned *ret_spawned, struct err *err);
