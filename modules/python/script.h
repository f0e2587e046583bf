/* SPDX-License-Identifier: MIT
 *
 * One script: compile, run in a fresh __main__, end as python3 would leave the disk.
 */
#pragma once

#include "python/compat.h"

#include <stdbool.h>
#include <stddef.h>

struct script_source {
    const char *code;        /* UTF-8; a NUL or a bad byte becomes a clear SyntaxError on stderr */
    size_t code_length;      /* bytes; code need not end in NUL */
    const char *filename;    /* __file__ and the name in tracebacks, e.g. "/work/script.py" */
    bool is_bytes;           /* from a file: coding cookies count, as for python3 FILE. Text: not */
    const char *argv0;       /* sys.argv[0]: "script.py", "-c", "-" */
    const char *const *argv; /* sys.argv[1:] */
    size_t argv_count;
    const char *const *extra_path; /* appended to sys.path after the stdlib and dist-packages */
    size_t extra_path_count;
};

struct script_outcome {
    int exit_code; /* what python3's would be, 0..255 */
    int signal;    /* SIGINT when an uncaught KeyboardInterrupt ended it (exit_code 130), else 0 */
};

/* Runs to the end: tracebacks on stderr with source lines, SystemExit, top-level await; joins
 * non-daemon threads, runs atexit, drops __main__ and the modules the run imported, collects,
 * flushes every file that is still open, flushes stdout and stderr. Never finalises. The GIL is
 * held by the caller before and after. Once per process: threading and atexit are over afterwards.
 *
 * Returns only in the process that called it. A child that the script forked and that reaches the
 * end of the script ends here, as it would under python3. */
void script_run(const struct script_source *source, struct script_outcome *ret_outcome);

/* Takes the path of script_run (compile, a fresh __main__, execute, collect) with `code` and leaves
 * no trace: for touching the pages that a run will need before the run is there. It ends nothing,
 * so script_run still works afterwards. 0, or -1 when the code failed (nothing is printed). */
int script_warm_up(const char *code);
