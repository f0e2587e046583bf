/* SPDX-License-Identifier: MIT
 *
 * The extension module hermes_tools: what it exports, and how it comes to know the run. It may be
 * imported before the run is known (by the zygote's preload); the tools are added when the session
 * begins.
 */
#include "hermes/hermes.h"

#include "hermes/channel_call.h"
#include "hermes/state.h"

#include <string.h>

#define MODULE_NAME "hermes_tools"

static const struct hermes_session *session;

const struct hermes_session *hermes_session_current(void)
{
    return session;
}

struct module_state *hermes_state(PyObject *module)
{
    return PyModule_GetState(module);
}

/* ---- names ------------------------------------------------------------------------------------
 */

/* PEP 562. Only AttributeError is right here: hasattr() relies on it. Its name is set, so that the
 * interpreter adds no suggestion of its own. */
static PyObject *module_getattr(PyObject *module, PyObject *name_object)
{
    const char *name = PyUnicode_Check(name_object) ? PyUnicode_AsUTF8(name_object) : NULL;
    if (!name)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "names are str");
    if (strcmp(name, "aio") == 0)
        return PyImport_ImportModule(MODULE_NAME ".aio");
    if (strncmp(name, "__", 2) == 0)
        return PyErr_Format(PyExc_AttributeError, "module '" MODULE_NAME "' has no attribute %R",
                            name_object);
    _cleanup_object_ PyObject *what =
        PyUnicode_FromFormat("module '" MODULE_NAME "' has no attribute %R", name_object);
    const char *text = what ? PyUnicode_AsUTF8(what) : NULL;
    _cleanup_object_ PyObject *message = text ? catalog_missing_text(text, name) : NULL;
    _cleanup_object_ PyObject *error =
        message ? PyObject_CallOneArg(PyExc_AttributeError, message) : NULL;
    (void)module;
    if (error && PyObject_SetAttrString(error, "name", name_object) == 0)
        PyErr_SetObject(PyExc_AttributeError, error);
    return NULL;
}

#define KEYWORDS(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef module_methods[] = {
    {"tools", catalog_tools, METH_NOARGS,
     "tools()\n--\n\nThe names of the tools that are enabled in this run."},
    {"search_tools", KEYWORDS(catalog_search_tools), METH_VARARGS | METH_KEYWORDS,
     "search_tools(query)\n--\n\n"
     "The names of enabled tools whose name or description has the words of query, best first."},
    {"describe", KEYWORDS(catalog_describe), METH_VARARGS | METH_KEYWORDS,
     "describe(name)\n--\n\nSignature and documentation of a tool."},
    {"json_parse", KEYWORDS(helper_json_parse), METH_VARARGS | METH_KEYWORDS,
     "json_parse(text)\n--\n\n"
     "Parse JSON; raw newlines and tabs inside strings and a leading BOM are allowed."},
    {"shell_quote", KEYWORDS(helper_shell_quote), METH_VARARGS | METH_KEYWORDS,
     "shell_quote(s)\n--\n\nQuote text as one word of a POSIX shell command."},
    {"retry", KEYWORDS(helper_retry), METH_VARARGS | METH_KEYWORDS,
     "retry(fn, max_attempts=3, delay=2)\n--\n\n"
     "Return fn(); after an exception wait delay, then 2 * delay, ... seconds and try again.\n\n"
     "The exception of the last attempt is raised; there is no wait after it."},
    {"_start", aio_start, METH_VARARGS, NULL},
    {"_pump", aio_pump, METH_NOARGS, NULL},
    {"_descriptor", aio_descriptor, METH_NOARGS, NULL},
    {"__getattr__", module_getattr, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

/* ---- tools of the session ---------------------------------------------------------------------
 */

static int module_populate(PyObject *module)
{
    struct module_state *state = hermes_state(module);
    const struct toolset *tools = session ? session->tools : NULL;

    if (state->populated_for == session && state->has_all)
        return 0;
    for (size_t i = 0; tools && i < tools->count; i++) {
        _cleanup_object_ PyObject *function = toolfunc_new(module, tools->specs[i]);
        if (!function ||
            PyModule_AddObjectRef(module, spec_python_name(tools->specs[i]), function) < 0)
            return -1;
    }
    _cleanup_object_ PyObject *all = catalog_all();
    if (!all || PyModule_AddObjectRef(module, "__all__", all) < 0)
        return -1;
    state->populated_for = session;
    state->has_all = true;
    return 0;
}

/* ---- what the module stands on ----------------------------------------------------------------
 */

static int keys_load(struct module_state *state)
{
    state->key_result = PyUnicode_InternFromString("result");
    state->key_error = PyUnicode_InternFromString("error");
    state->key_hint = PyUnicode_InternFromString("_hint");
    state->key_bodies = PyUnicode_InternFromString("bodies");
    return state->key_result && state->key_error && state->key_hint && state->key_bodies ? 0 : -1;
}

static int tool_error_load(PyObject *module, struct module_state *state)
{
    _cleanup_object_ PyObject *attributes =
        Py_BuildValue("{sOsO}", "result", Py_None, "tool", Py_None);
    if (!attributes)
        return -1;
    state->tool_error = PyErr_NewExceptionWithDoc(
        MODULE_NAME ".ToolError",
        "A tool of the embedder or of an MCP server answered with an error. `tool` is its name, "
        "`result` all that it answered.",
        NULL, attributes);
    return state->tool_error ? PyModule_AddObjectRef(module, "ToolError", state->tool_error) : -1;
}

static int types_load(PyObject *module, struct module_state *state)
{
    state->tool_type = (PyTypeObject *)toolfunc_type_new(module);
    state->async_type = (PyTypeObject *)async_type_new(module);
    return state->tool_type && state->async_type ? 0 : -1;
}

static int module_exec(PyObject *module)
{
    struct module_state *state = hermes_state(module);

    if (types_load(module, state) < 0 || keys_load(state) < 0 || !standby_sleep(state) ||
        tool_error_load(module, state) < 0 || finder_install(module) < 0)
        return -1;
    return module_populate(module);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    struct module_state *state = hermes_state(module);

    Py_VISIT(state->tool_type);
    Py_VISIT(state->async_type);
    Py_VISIT(state->tool_error);
    Py_VISIT(state->scan_once);
    Py_VISIT(state->json_decode);
    Py_VISIT(state->json_loads);
    Py_VISIT(state->sleep);
    return 0;
}

static int module_clear(PyObject *module)
{
    struct module_state *state = hermes_state(module);

    Py_CLEAR(state->tool_type);
    Py_CLEAR(state->async_type);
    Py_CLEAR(state->tool_error);
    Py_CLEAR(state->scan_once);
    Py_CLEAR(state->json_decode);
    Py_CLEAR(state->json_loads);
    Py_CLEAR(state->sleep);
    Py_CLEAR(state->key_result);
    Py_CLEAR(state->key_error);
    Py_CLEAR(state->key_hint);
    Py_CLEAR(state->key_bodies);
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = MODULE_NAME,
    .m_doc = "Tools of the host as plain functions.\n\n"
             "Every tool returns a dict. Calls from several threads run side by side.",
    .m_size = sizeof(struct module_state),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyObject *hermes_module_init(void)
{
    return PyModuleDef_Init(&module_def);
}

/* ---- the session ------------------------------------------------------------------------------
 */

/* Models are told that these need no import. */
static int builtins_extend(PyObject *module)
{
    static const char *const names[] = {"json_parse", "shell_quote", "retry"};
    _cleanup_object_ PyObject *builtins = PyImport_ImportModule("builtins");

    for (size_t i = 0; builtins && i < sizeof(names) / sizeof(names[0]); i++) {
        _cleanup_object_ PyObject *helper = PyObject_GetAttrString(module, names[i]);
        if (!helper || PyObject_SetAttrString(builtins, names[i], helper) < 0)
            return -1;
    }
    return builtins ? 0 : -1;
}

int hermes_preload(void)
{
    _cleanup_object_ PyObject *module = PyImport_ImportModule(MODULE_NAME);
    struct module_state *state = module ? hermes_state(module) : NULL;

    return state && standby_scan_once(state) && standby_json_decode(state) &&
                   standby_json_loads(state) && standby_sleep(state)
               ? 0
               : -1;
}

int hermes_session_begin(const struct hermes_session *begun)
{
    session = begun;
    if (session->channel)
        channel_adopt(session->channel);
    _cleanup_object_ PyObject *module = PyImport_ImportModule(MODULE_NAME);
    if (!module || module_populate(module) < 0)
        return -1;
    return builtins_extend(module);
}
