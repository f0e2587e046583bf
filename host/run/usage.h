/* SPDX-License-Identifier: MIT
 *
 * What a run has used, read by the host from the kernel.
 */
#pragma once

#include <sys/types.h>

struct run_usage;

/* Of init's children (script, tools process, orphans) and what they have waited for. */
void usage_read(pid_t init_pid, struct run_usage *usage);
