/* SPDX-License-Identifier: MIT
 *
 * Inside of the module hermes_tools: its per-module state and what its files give one another.
 */
#pragma once

#include "hermes/hermes.h"

#include <stdbool.h>

struct tool_call;

struct module_state {
    PyTypeObject *tool_type;
    PyTypeObject *async_type;
    PyObject *tool_error;
    /* Made when they are first needed (standby.c), NULL before: */
    PyObject *scan_once;   /* CPython's C scanner: scan_once(text, index) -> (value, end) */
    PyObject *json_decode; /* json.JSONDecoder(strict=False).decode */
    PyObject *json_loads;  /* for UTF-16 and UTF-32 */
    PyObject *sleep;       /* time.sleep, from the start: time is there anyway */
    PyObject *key_result, *key_error, *key_hint, *key_bodies;
    const struct hermes_session *populated_for; /* whose tools the module has */
    bool has_all;
};

/* module.c */
const struct hermes_session *hermes_session_current(void);
struct module_state *hermes_state(PyObject *module);

/* standby.c: what the module stands on, borrowed; NULL with an exception. The package json brings re
 * and enum with it, which cost a cold start more than the rest of it. */
PyObject *standby_scan_once(struct module_state *state);
PyObject *standby_json_decode(struct module_state *state);
PyObject *standby_json_loads(struct module_state *state);
PyObject *standby_sleep(struct module_state *state);

/* toolfunc.c: the tools as functions */
PyObject *toolfunc_type_new(PyObject *module);
PyObject *toolfunc_new(PyObject *module, const struct tool_spec *spec);
const struct tool_spec *toolfunc_spec(struct module_state *state,
                                      PyObject *object); /* NULL: none */

/* signature.c */
PyObject *signature_new(const struct tool_spec *spec);
PyObject *annotations_new(const struct tool_spec *spec);

/* call.c: one call, from bound arguments to the decoded result. New reference or NULL. */
struct bound_args;
PyObject *call_run(struct module_state *state, const struct tool_spec *spec,
                   const struct bound_args *args);
struct hermes_channel;
struct hermes_channel *call_channel(void); /* NULL with RuntimeError: no host, a forked child */
struct tool_call *call_new(const struct tool_spec *spec, const struct bound_args *args);
struct tool_call *call_free(struct tool_call *call);
PyObject *call_result(struct module_state *state, struct tool_call *call);
void calls_deliver(struct hermes_channel *channel); /* finished async calls, to their callbacks */

/* async_call.c: what aio.py stands on */
PyObject *async_type_new(PyObject *module);
void async_call_deliver(PyObject *self); /* steals the reference that the channel held */
PyObject *aio_start(PyObject *module, PyObject *args);
PyObject *aio_pump(PyObject *module, PyObject *unused);
PyObject *aio_descriptor(PyObject *module, PyObject *unused);

/* catalog.c: what exists */
PyObject *catalog_all(void); /* the names of __all__, as a list */
PyObject *catalog_missing_text(const char *what, const char *name);
PyObject *catalog_tools(PyObject *module, PyObject *unused);
PyObject *catalog_search_tools(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *catalog_describe(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *catalog_doc_text(const struct tool_spec *spec);

/* helpers.c */
/* The only argument of a function, by position or by name; borrowed. format: "O:function". */
PyObject *argument_get(PyObject *args, PyObject *keywords, const char *format, const char *name);
PyObject *helper_json_parse(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *helper_shell_quote(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *helper_retry(PyObject *module, PyObject *args, PyObject *kwargs);

/* finder.c: `from hermes_tools import nope`, `import hermes_tools.aio` */
int finder_install(PyObject *module);

extern const char aio_source[]; /* aio.py, embedded by CMake */

static inline void object_cleanup(PyObject **object)
{
    Py_CLEAR(*object);
}
#define _cleanup_object_ __attribute__((cleanup(object_cleanup)))

static inline PyObject *object_steal(PyObject **object)
{
    PyObject *stolen = *object;
    *object = NULL;
    return stolen;
}
