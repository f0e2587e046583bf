/* SPDX-License-Identifier: MIT
 *
 * One script: compile, run in a fresh __main__, end as python3 would leave the disk.
 */
#pragma once

#include "python/compat.h"

#include <stdbool.h>
#include <stddef.h>

struct script_source {
    const char *code; /* UTF-8 (checked here: a NUL or bad byte is a clear SyntaxError on stderr) */
    size_t code_length;
    const char *filename;     /* __file__ and the name in tracebacks, e.g. "/work/script.py" */
    bool is_bytes;            /* from a file: coding cookies count, as for python3 FILE. Else text: they do not */
    const char *const *argv;  /* sys.argv[1:]; sys.argv[0] is argv0 */
    size_t argv_count;
    const char *argv0;        /* "script.py", "-c", "-" */
    const char *const *extra_path; /* appended to sys.path after the stdlib and dist-packages */
    size_t extra_path_count;
};

struct script_outcome {
    int exit_code; /* what python3's would be, 0..255 */
    int signal;    /* SIGINT when an uncaught KeyboardInterrupt ended it (exit_code 130), else 0 */
};

/* Runs to the end: tracebacks on stderr with source lines, SystemExit, top-level await; joins
 * non-daemon threads, runs atexit, drops __main__ and the modules the run imported, collects,
 * flushes every file that is still open, flushes stdout and stderr. Never finalises. The GIL is held
 * by the caller before and after. */
void script_run(const struct script_source *source, struct script_outcome *ret_outcome);
