/* SPDX-License-Identifier: MIT
 *
 * What a run has used, read by the host from the kernel.
 */
#pragma once

#include "base/json.h"

#include <sys/types.h>

struct run_usage;

/* Of init's children (script, tools process, orphans) and what they have waited for. */
void usage_read(pid_t init_pid, struct run_usage *usage);

/* What the script says of itself in DONE: [user us, system us, peak KiB]. By the time that the host
 * looks, a process that ends has no peak left to read. Of both the larger counts, so that a script
 * can only accuse itself; anything that is not such an array is passed over. */
void usage_claim(const json_t *claim, struct run_usage *usage);
