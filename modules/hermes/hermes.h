/* SPDX-License-Identifier: MIT
 *
 * The extension module hermes_tools: built into ptc-child, multi-phase init, no mutable statics but
 * the one session pointer that the process of a run sets before user code.
 */
#pragma once

#include "python/compat.h"
#include "spec/toolset.h"

struct hermes_channel;

/* What the module needs to know of the run it lives in. Borrowed; lives until the process ends. */
struct hermes_session {
    struct hermes_channel *channel; /* NULL: every call raises RuntimeError */
    const struct toolset *tools;    /* the enabled tools */
};

PyObject *hermes_module_init(void); /* PyInit_hermes_tools */

/* In a warm zygote: the module and all it will need, imported once for all runs. 0, or -1 with a
 * Python exception set. */
int hermes_preload(void);

/* Once, in the run's process, after the fork and before user code: binds the session and puts
 * json_parse, shell_quote and retry into builtins. 0, or -1 with a Python exception set. */
int hermes_session_begin(const struct hermes_session *session);
