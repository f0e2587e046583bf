/* SPDX-License-Identifier: MIT
 *
 * What CPython needs around a fork that it does not make itself, and what must differ between the
 * children of one zygote: streams of random numbers and secrets.
 */
#include "python/interp.h"

#include "python/arena.h"
#include "python/object.h"

void interp_freeze(void)
{
    (void)state_remember_modules(); /* what was imported since interp_init is shared as well */
    (void)PyGC_Collect();
    _cleanup_object_ PyObject *freeze = object_from_module("gc", "freeze");
    _cleanup_object_ PyObject *done = freeze == NULL ? NULL : PyObject_CallNoArgs(freeze);
    (void)state_set(STATE_FROZEN, PyBool_FromLong(1));
    PyErr_Clear(); /* only speed is lost */
}

void interp_before_fork(void)
{
    PyOS_BeforeFork();
}

void interp_after_fork_parent(void)
{
    PyOS_AfterFork_Parent();
}

/* numpy.random's global generator has no fork hook of its own, random's has. */
static void interp_reseed_numpy(void)
{
    PyObject *module = object_loaded_module("numpy.random");
    if (module == NULL) {
        return;
    }
    _cleanup_object_ PyObject *done = object_call(module, "seed");
}

/* multiprocessing draws its connection secret at import: the runs of one zygote would share it. */
static void interp_renew_authkey(void)
{
    PyObject *module = object_loaded_module("multiprocessing.process");
    if (module == NULL) {
        return;
    }
    _cleanup_object_ PyObject *process = object_call(module, "current_process");
    _cleanup_object_ PyObject *urandom = object_from_module("os", "urandom");
    if (process == NULL || urandom == NULL) {
        return;
    }
    _cleanup_object_ PyObject *key = PyObject_CallFunction(urandom, "i", 32);
    if (key != NULL) {
        (void)PyObject_SetAttrString(process, "authkey", key);
    }
}

void interp_after_fork_child(void)
{
    PyOS_AfterFork_Child();
    interp_reseed_numpy();
    interp_renew_authkey();
    PyErr_Clear();
}
