/* SPDX-License-Identifier: MIT
 *
 * What lasts between terminal calls of one run: directory, exported variables, functions, aliases.
 * Each call starts a new shell from a snapshot; what the shell says about itself when it ends comes
 * back as a record, and only the differences are applied, so that parallel calls do not undo each
 * other.
 */
#pragma once

#include "tools/env_list.h"

#include <stddef.h>

#define SHELL_RECORD_BYTES_MAX   (1024u * 1024u)
#define SHELL_ENV_BYTES_MAX      (512u * 1024u)
#define SHELL_ENTRY_BYTES_MAX    (120u * 1024u) /* execve takes 128 KiB in one string */
#define SHELL_PROLOGUE_BYTES_MAX (100u * 1024u)

struct shell_state;

/* home may be NULL. The first environment is this process's own. NULL: no memory. */
struct shell_state *shell_state_new(const char *directory, const char *home);
struct shell_state *shell_state_free(struct shell_state *state); /* returns NULL */

struct shell_snapshot {
    char *directory;
    struct env_list env; /* without PWD */
    char *prologue;      /* shell code that defines functions and aliases */
};

int shell_state_snapshot(struct shell_state *state, struct shell_snapshot *ret_snapshot);
void shell_snapshot_deinit(struct shell_snapshot *snapshot);

/* Applies a record: five fields that each end in a NUL byte: directory, output of `export -p`, of
 * `declare -fp`, of `alias -p`, and "." as a sign that it is complete. An incomplete or malformed
 * one changes nothing. start: the snapshot that the shell began with.
 * keep_directory: the call had a directory of its own, which does not outlive it. */
void shell_state_apply(struct shell_state *state, const struct shell_snapshot *start,
                       const char *record, size_t length, int keep_directory);

/* Adds the variables of `export -p` output to list. 0, -EINVAL (not such output), -ENOMEM. */
int shell_parse_exports(const char *text, struct env_list *list);
