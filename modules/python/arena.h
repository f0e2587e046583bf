/* SPDX-License-Identifier: MIT
 *
 * Where CPython's small-object allocator gets its arenas: from huge pages while a zygote imports
 * its modules. A fork then copies one page-table entry for what would be 512.
 */
#pragma once

#include <stdbool.h>

/* Before the interpreter starts. Without memory for it CPython's own allocator stays. */
void arena_install(void);

/* What is allocated from now on is a run's own. */
void arena_freeze(void);
