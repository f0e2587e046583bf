/* SPDX-License-Identifier: MIT
 *
 * Waiting on a lock that a daemon thread may hold for ever, but not for ever ourselves. A daemon
 * thread that is blocked in write() keeps its file's lock; python3 waits one second at its end and
 * then aborts. We wait the same second and go on without that file.
 */
#include "python/object.h"
#include "python/script_parts.h"

#include <stdlib.h>

#include <pythread.h>

#define GRACE_US 1000000

/* Owned by the helper thread when it is left behind: then nobody may free it. */
struct grace {
    void (*job)(int *ret_status);
    int status;
    PyThread_type_lock finished;
};

bool script_grace_has_threads(void)
{
    PyThreadState *first = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
    return first != NULL && PyThreadState_Next(first) != NULL;
}

static void grace_thread(void *argument)
{
    struct grace *grace = argument;
    PyGILState_STATE state = PyGILState_Ensure();
    grace->job(&grace->status);
    PyErr_Clear();
    PyGILState_Release(state);
    PyThread_release_lock(grace->finished);
}

static struct grace *grace_new(void (*job)(int *))
{
    struct grace *grace = calloc(1, sizeof *grace);
    if (grace == NULL) {
        return NULL;
    }
    grace->job = job;
    grace->status = -1;
    grace->finished = PyThread_allocate_lock();
    if (grace->finished != NULL) {
        (void)PyThread_acquire_lock(grace->finished, WAIT_LOCK);
        return grace;
    }
    free(grace);
    return NULL;
}

static void grace_free(struct grace *grace)
{
    PyThread_release_lock(grace->finished);
    PyThread_free_lock(grace->finished);
    free(grace);
}

static bool grace_wait(struct grace *grace)
{
    PyLockStatus status;
    Py_BEGIN_ALLOW_THREADS status = PyThread_acquire_lock_timed(grace->finished, GRACE_US, 0);
    Py_END_ALLOW_THREADS return status == PY_LOCK_ACQUIRED;
}

void script_grace_run(void (*job)(int *ret_status), int *ret_status)
{
    struct grace *grace = script_grace_has_threads() ? grace_new(job) : NULL;
    if (grace == NULL) {
        job(ret_status);
        return;
    }
    if (PyThread_start_new_thread(grace_thread, grace) == PYTHREAD_INVALID_THREAD_ID) {
        grace_free(grace);
        job(ret_status);
        return;
    }
    *ret_status = -1;
    if (grace_wait(grace)) {
        *ret_status = grace->status;
        grace_free(grace);
    }
}
