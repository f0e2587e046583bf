/* SPDX-License-Identifier: MIT
 *
 * The steps of script_run, one file each. Not for other folders.
 */
#pragma once

#include "python/script.h"

/* script_compile.c: the source as text, and its code object. NULL with python3's own SyntaxError. A
 * source whose coding cookie cannot be obeyed decodes to "" and then fails in script_compile. */
PyObject *script_decode(const struct script_source *source, PyObject *filename);
PyObject *script_compile(const struct script_source *source, PyObject *filename, PyObject *text);

/* script_main.c: a new module __main__, put into sys.modules. New reference, NULL with exception.
 */
PyObject *script_main_new(PyObject *filename, PyObject *text);
/* sys.argv, sys.orig_argv, sys.path. 0, or -1 with an exception. */
int script_main_set_arguments(const struct script_source *source);

/* script_end.c: takes the pending exception, shows it when it is to be shown, and says what
 * python3's exit status would be. */
void script_end_exception(PyObject *code, struct script_outcome *outcome);

/* script_finish.c: everything of Py_FinalizeEx that a script can notice. */
void script_finish(struct script_outcome *outcome);

/* script_files.c */
/* sys.stdout and sys.stderr; -1 when one fails, which is shown as python3 shows it when `report`.
 */
int script_files_flush_stdio(bool report);
void script_files_flush_all(void); /* every file object of the run that is still open */
void script_files_finalize(void);  /* __del__ and finally blocks of what is still referenced */

/* script_grace.c: true when Python threads besides the caller exist. */
bool script_grace_has_threads(void);
/* Calls job; when other threads exist, in a thread of its own that is left behind after a second.
 */
void script_grace_run(void (*job)(int *ret_status), int *ret_status);
