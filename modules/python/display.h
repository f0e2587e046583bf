/* SPDX-License-Identifier: MIT
 *
 * How uncaught exceptions are shown: as python3 shows them, with source lines also when the code is
 * no file in the run (text from a host, or a file that the run may not open).
 */
#pragma once

#include "python/compat.h"

#include <stdbool.h>

/* Puts our hooks under sys.excepthook, sys.unraisablehook and threading.excepthook. Before
 * threading is imported. 0, or -1 with an exception set. */
int display_install(void);

/* The script of this run: `source` (str) is what its code was compiled from. `readable`: the file
 * is there for CPython to open, then its own display does the work. 0, or -1 with an exception. */
int display_set_source(PyObject *filename, PyObject *source, bool readable);

/* linecache.cache[filename] from `source`, when linecache is loaded. Failures are silent: only a
 * line of context is lost. */
void display_fill_linecache(PyObject *filename, PyObject *source);
