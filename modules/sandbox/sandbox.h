/* SPDX-License-Identifier: MIT
 *
 * What every mechanism looks like: one file each, behind some of these three verbs.
 *
 *     x_probe    can this kernel and this user have it? No side effects on the caller.
 *     x_prepare  what can be made ahead of time (rulesets, programs, detached mounts)
 *     x_apply    what a run's own process does; returns 0 or a negative errno, and says in *layers
 *                (bits of wire/layers.h) what holds now
 *
 * The order in which a run applies them is child/init_run.c's and child/session_script.c's. Landlock, seccomp
 * and cgroup take their places here when the sandbox is completed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- privs.c: capabilities, no_new_privs, dumpable ---- */

/* Bounding, ambient, inheritable, permitted and effective sets emptied, securebits locked,
 * no_new_privs set. What was already absent is no error. */
int privs_apply(unsigned *layers);

/* ---- rlimits.c ---- */

struct rlimits {
    uint64_t cpu_ms; /* 0 = unlimited; per process, rounded up to seconds */
    uint64_t
        memory_bytes;   /* private writable memory beyond what the process has now; 0 = unlimited */
    uint64_t processes; /* 0 = unlimited */
    uint64_t file_bytes; /* 0 = unlimited */
    uint64_t open_files; /* 0 = unchanged */
};
int rlimits_apply(const struct rlimits *limits, unsigned *layers);

/* ---- namespaces.c ---- */

/* As fork(2), into the namespaces of a run (layers says which), with a pidfd for the parent.
 * Returns the pid, 0 in the child, or negative errno. With `layers` 0 a plain fork with a pidfd. */
pid_t namespaces_fork(unsigned layers, int *ret_pidfd);

/* In the child: uid and gid (the ids that the parent has) mapped onto themselves, loopback up, host
 * name. */
int namespaces_apply(unsigned layers, uid_t uid, gid_t gid);

/* ---- mounts.c ---- */

struct mounts {
    const char *workspace; /* absolute; stays visible even below /tmp. NULL: none */
    uint64_t workspace_device,
        workspace_inode; /* must match what the host saw; inode 0: not checked */
    uint64_t tmp_bytes;
    uint64_t tmp_inodes;
};

/* A private /tmp and /dev/shm, an own /proc, the workspace bound back in. *ret_workspace_fd is an
 * O_PATH fd of it as the run sees it. */
int mounts_apply(const struct mounts *mounts, unsigned *layers, int *ret_workspace_fd);

/* ---- scratch.c: a private directory where /tmp cannot be private ---- */

int scratch_make(char *path, size_t size); /* 0700 below /tmp */
void scratch_remove(const char *path);     /* the whole tree, no symlink is followed */
