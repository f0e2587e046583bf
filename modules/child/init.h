/* SPDX-License-Identifier: MIT
 *
 * Init: pid 1 of a run's own pid namespace. Sets the run up, forks the script and the tools
 * process, reaps, signals, and takes everything with it when it ends.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct hotpages;
struct zygote_setup;

struct init_config {
    int host_fd; /* init's control channel */
    int call_fd; /* the script's call channel */
    int out_fd, err_fd;
    int host_pidfd;  /* readable when the host is dead; -1 when there is none */
    int handover_fd; /* made ahead of time: a FORK packet with the four fds above comes here when a
                        run wants this init; -1 when they are there already */
    int ready_fd;    /* one byte is written once the namespaces hold; -1 when nobody waits */
    bool no_script;  /* one tool call: the tools process only */
    unsigned namespaces; /* bits of wire/layers.h that the clone made */
    uid_t uid;
    gid_t gid; /* the zygote's, before the clone */
    const struct zygote_setup *setup;
    const struct hotpages *hotpages;
};

/* Exit status with which init says that namespaces were made but cannot be used. */
#define INIT_NAMESPACES_FAILED 77

/* Never returns. */
_Noreturn void init_main(const struct init_config *config);
