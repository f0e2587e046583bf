/* SPDX-License-Identifier: MIT
 *
 * The layers that a run's init reports with LAYERS, as bits: what really holds, not what was
 * wanted. Shared by init, which applies them, and the host, which names them in the result.
 */
#pragma once

enum layer {
    LAYER_USER_NS = 1 << 0,
    LAYER_PID_NS = 1 << 1,
    LAYER_MOUNT_NS = 1 << 2,
    LAYER_NET_NS = 1 << 3,
    LAYER_IPC_NS = 1 << 4,
    LAYER_UTS_NS = 1 << 5,
    LAYER_PRIVATE_TMP = 1 << 6,
    LAYER_OWN_PROC = 1 << 7,
    LAYER_NO_NEW_PRIVS = 1 << 8,
    LAYER_NO_CAPABILITIES = 1 << 9,
    LAYER_RLIMITS = 1 << 10,
    LAYER_FDS = 1 << 11,
};

#define LAYER_COUNT 12

/* The names in the result's sandbox.layers, by bit. */
#define LAYER_NAMES                                                                                \
    {                                                                                              \
        "user_ns", "pid_ns", "mount_ns", "net_ns", "ipc_ns", "uts_ns", "private_tmp", "own_proc",  \
            "no_new_privs", "no_capabilities", "rlimits", "fds"                                    \
    }

/* What a run without namespaces cannot have. */
#define LAYER_NAMESPACES                                                                           \
    (LAYER_USER_NS | LAYER_PID_NS | LAYER_MOUNT_NS | LAYER_NET_NS | LAYER_IPC_NS | LAYER_UTS_NS)

/* FORK's values[0]: what the run is to be without. */
enum fork_flags {
    FORK_HOST_NET = 1 << 0,      /* policy: net all */
    FORK_NO_NAMESPACES = 1 << 1, /* tier 2 on purpose */
    FORK_NO_SCRIPT = 1 << 2,     /* one tool call: init forks the tools process only */
};
