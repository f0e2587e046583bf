/* SPDX-License-Identifier: MIT
 *
 * The two texts that the host sends down, once each, in sealed memfds: SETUP (what a zygote is to
 * be) and BIND (what one run is to be). JSON; unknown keys are ignored, missing ones have defaults.
 *
 *   SETUP {"executable":"/usr/bin/python3.11","prefix":"/usr","search_paths":[...],"preload":[...],
 *          "cold":false}
 *   BIND  {"workspace":"/home/u/p","device":N,"inode":N,"scratch_cwd":false,
 *          "tmp_bytes":N,"tmp_inodes":N,"output_bytes":N,"env":["NAME=VALUE",...],
 *          "limits":{"cpu_ms":N,"memory_bytes":N,"processes":N,"file_bytes":N,"open_files":N}}
 */
#pragma once

#include "base/json.h"
#include "sandbox/sandbox.h"

struct err;

/* Both live as long as the process that reads them. Paths and variables are byte strings
 * (base/bytes.h). */
struct zygote_setup {
    json_t *json;
    const char *executable;
    const char *prefix;
    const char **search_paths;
    size_t search_path_count;
    const char **preload;
    size_t preload_count;
    bool cold; /* forks once: the script starts its own interpreter (interpreter.h) */
};

int zygote_setup_read(struct zygote_setup *setup, int memfd, struct err *err);

struct run_setup {
    json_t *json;
    const char *workspace;
    uint64_t workspace_device, workspace_inode;
    bool scratch_cwd; /* the script starts in the private directory, not in the workspace */
    uint64_t tmp_bytes, tmp_inodes;
    uint64_t output_bytes;
    const char **env; /* "NAME=VALUE", on top of the zygote's environment */
    size_t env_count;
    struct rlimits limits;
};

int run_setup_read(struct run_setup *setup, int memfd, struct err *err);
