/* SPDX-License-Identifier: MIT
 *
 * Small helpers of this folder for Python objects: references that release themselves, and a place
 * for what belongs to the interpreter. That place is PyInterpreterState_GetDict, which scripts do
 * not see, so that this folder needs no mutable statics.
 */
#pragma once

#include "python/compat.h"

static inline void object_cleanup(PyObject **object)
{
    Py_XDECREF(*object);
}
#define _cleanup_object_ __attribute__((cleanup(object_cleanup)))

/* Takes the reference out of `slot` for a caller that hands it on. */
static inline PyObject *object_steal(PyObject **slot)
{
    PyObject *object = *slot;
    *slot = NULL;
    return object;
}

/* object.name(); NULL with an exception when it fails. */
PyObject *object_call(PyObject *object, const char *name);

/* module.name as a new reference, the module imported when needed. NULL with an exception. */
PyObject *object_from_module(const char *module, const char *name);

/* The module when it is in sys.modules, else NULL; never an exception. Borrowed. */
PyObject *object_loaded_module(const char *name);

/* What is kept for the interpreter. state_get: borrowed, NULL when absent, never an exception.
 * state_set: steals `value` (NULL is passed on); 0, or -1 with an exception set. */
PyObject *state_get(const char *name);
int state_set(const char *name, PyObject *value);

/* Functions that the end of a run needs whatever the script did to sys.modules and builtins. */
#define STATE_GET_OBJECTS   "gc.get_objects"
#define STATE_RUN_EXITFUNCS "atexit._run_exitfuncs"

/* The set of the names that were in sys.modules before the run: what came later is the run's own.
 * Taken in the zygote: taking it writes to the reference count of every name, hence to pages that a
 * forked child would have to copy (130 pages with 60 modules). */
#define STATE_MODULES "modules before the run"
int state_remember_modules(void); /* 0, or -1 with an exception set */

/* Present after interp_freeze. */
#define STATE_FROZEN "frozen"
