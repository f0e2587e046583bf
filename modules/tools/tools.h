/* SPDX-License-Identifier: MIT
 *
 * The tools process: serves CALL frames from the host on its tools channel, runs each handler on a
 * thread of its own, answers with REPLY. It lives inside the run's namespaces, so the kernel wall
 * around the script is the wall around the tools. C only.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

struct tools_config {
    const char *workspace;     /* absolute path: base of relative tool paths, in every profile */
    int workspace_fd;          /* O_PATH directory fd of it (borrowed) */
    const char *home;          /* what ~ means */
    const char *shell;         /* "/bin/bash" */
    uint64_t output_bytes_max; /* terminal output kept: head 40 % + tail 60 %; 50000 */
    /* Syntax check of Python and TOML text by the embedded interpreter, in a forked child with a
     * deadline; NULL when there is no interpreter. Returns a new {"message","line","column"} or
     * NULL when the text is fine. language: "python" or "toml". *ret_checked says whether it could
     * be checked. */
    json_t *(*check_syntax)(const void *context, const char *language, const char *text,
                            size_t length, bool *ret_checked);
    const void *check_context;
    const char *write_roots; /* colon list of real directories that write_file and patch keep to;
                                NULL: wherever the kernel lets them */
};

/* Serves until end of file on channel, or a protocol violation. Never returns to user code: the
 * caller _exits with the return value. */
int tools_serve(int channel, const struct tools_config *config);

/* One call in progress; handlers poll it. */
struct tool_call {
    const struct tools_config *config;
    struct tools_state *state; /* what lasts between calls of a run: the shell's cwd and exports */
    uint64_t deadline_ns;      /* monotonic; 0 = none */
    int cancel_fd;             /* becomes readable when the caller has given up */
};

/* args were validated by the host and have every default. Returns a new object, never NULL except
 * when there is no memory; failures are {"error": ...}. Blocking; thread safe. */
typedef json_t *(*tool_handler)(struct tool_call *call, const json_t *args);

tool_handler tools_find(const char *name); /* NULL: not a local tool */

/* {"error": "..."} */
json_t *tools_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
