/* SPDX-License-Identifier: MIT
 *
 * Bringing the interpreter up, once, in the zygote: isolated, UTF-8, explicit paths, never decided
 * by PATH. And the care that a fork needs.
 */
#pragma once

#include "python/compat.h"

#include <stdbool.h>
#include <stddef.h>

#include <sys/resource.h>

struct err;

/* The C stack that CPython's limits (1000 frames, 6000 parser levels) are made for. interp_init
 * raises RLIMIT_STACK to it where the hard limit allows. */
#define INTERP_STACK_BYTES ((rlim_t)8 << 20)

struct interp_config {
    const char *executable;          /* sys.executable: the real pythonX.Y that the run can read */
    const char *prefix;              /* sys.prefix and exec_prefix, e.g. "/usr" */
    const char *const *search_paths; /* sys.path in order: stdlib, lib-dynload, dist-packages */
    size_t search_path_count;
    const char *const *preload; /* modules to import; a missing one is not an error */
    size_t preload_count;
    bool shared; /* a zygote that children are forked from: memory in huge pages */
};

/* Registers the builtin modules in `inittab` (NULL-terminated by name; NULL: none), initialises,
 * preloads, and leaves the signal table as python3 has it: SIGINT -> KeyboardInterrupt, SIGPIPE and
 * SIGXFSZ ignored, all others default, nothing blocked. 0 or negative errno with the interpreter's
 * words.
 */
int interp_init(const struct interp_config *config, const struct _inittab *inittab,
                struct err *err);

/* gc.collect + gc.freeze: what children share stays shared. Call before the first fork. Objects and
 * modules that are made later belong to the run and are cleaned up at its end. */
void interp_freeze(void);

void interp_before_fork(void);       /* PyOS_BeforeFork */
void interp_after_fork_parent(void); /* PyOS_AfterFork_Parent */
void interp_after_fork_child(
    void); /* PyOS_AfterFork_Child, then reseeds random and numpy if loaded */

/* "missing: a, b" for preload modules that could not be imported; NULL when all came. Borrowed. */
const char *interp_preload_failures(void);
