/* SPDX-License-Identifier: MIT
 *
 * What exists in this run: tools(), search_tools(), describe(), and the texts of "no such name".
 */
#include "hermes/state.h"

#include "base/buf.h"
#include "base/str.h"
#include "spec/pystub.h"

#include <string.h>
#include <strings.h>

static const char *const helper_names[] = {"ToolError", "json_parse",   "shell_quote", "retry",
                                           "tools",     "search_tools", "describe"};
#define HELPER_COUNT (sizeof(helper_names) / sizeof(helper_names[0]))

static const struct toolset *session_tools(void)
{
    static const struct toolset none = {NULL, 0};
    const struct hermes_session *session = hermes_session_current();
    return session && session->tools ? session->tools : &none;
}

static int list_append_text(PyObject *list, const char *text)
{
    _cleanup_object_ PyObject *item = PyUnicode_FromString(text);
    return item ? PyList_Append(list, item) : -1;
}

PyObject *catalog_tools(PyObject *module, PyObject *unused)
{
    const struct toolset *tools = session_tools();
    _cleanup_object_ PyObject *list = PyList_New(0);
    (void)module;
    (void)unused;

    for (size_t i = 0; list && i < tools->count; i++)
        if (list_append_text(list, spec_python_name(tools->specs[i])) < 0)
            return NULL;
    return object_steal(&list);
}

PyObject *catalog_all(void)
{
    _cleanup_object_ PyObject *list = catalog_tools(NULL, NULL);

    for (size_t i = 0; list && i < HELPER_COUNT; i++)
        if (list_append_text(list, helper_names[i]) < 0)
            return NULL;
    return object_steal(&list);
}

/* A buffer's text as str; r is what filling it returned. */
static PyObject *buffer_text(const struct buf *buf, int r)
{
    if (r < 0)
        return PyErr_NoMemory();
    return PyUnicode_DecodeUTF8((const char *)buf->data, (Py_ssize_t)buf->length, "replace");
}

PyObject *catalog_doc_text(const struct tool_spec *spec)
{
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    return buffer_text(&text, pystub_append_doc(&text, spec));
}

static const char *nearest_name(const char *name, const struct toolset *tools)
{
    const char **names = PyMem_Calloc(tools->count + HELPER_COUNT, sizeof(*names));
    const char *nearest = NULL;

    if (!names)
        return NULL;
    for (size_t i = 0; i < tools->count; i++)
        names[i] = spec_python_name(tools->specs[i]);
    memcpy(names + tools->count, helper_names, sizeof(helper_names));
    nearest = str_nearest(name, names, tools->count + HELPER_COUNT);
    PyMem_Free(names);
    return nearest;
}

/* "`what`; did you mean 'x'? Importable names: a, b, c" */
PyObject *catalog_missing_text(const char *what, const char *name)
{
    const struct toolset *tools = session_tools();
    const char *nearest = nearest_name(name, tools);
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    const char *separator = "";
    int r = buf_append_text(&text, what);

    if (r == 0 && nearest)
        r = buf_append_format(&text, "; did you mean '%s'?", nearest);
    else if (r == 0)
        r = buf_append_text(&text, ".");
    if (r == 0 && !nearest && toolset_builtin_find(name))
        r = buf_append_text(&text, " This tool is not enabled in this run.");
    if (r == 0)
        r = buf_append_text(&text, " Importable names: ");
    for (size_t i = 0; i < tools->count + HELPER_COUNT && r == 0; i++) {
        const char *item =
            i < tools->count ? spec_python_name(tools->specs[i]) : helper_names[i - tools->count];
        r = buf_append_format(&text, "%s%s", separator, item);
        separator = ", ";
    }
    return buffer_text(&text, r);
}

/* ---- search_tools -----------------------------------------------------------------------------
 */

static bool word_matches(const char *haystack, const char *word, size_t length)
{
    for (; haystack && *haystack; haystack++)
        if (strncasecmp(haystack, word, length) == 0)
            return true;
    return false;
}

/* How well one word fits: its name counts most. */
static int word_score(const struct tool_spec *spec, const char *word, size_t length)
{
    if (word_matches(spec->name, word, length))
        return 4;
    if (word_matches(spec->summary, word, length))
        return 2;
    for (size_t i = 0; i < spec->param_count; i++)
        if (word_matches(spec->params[i].name, word, length) ||
            word_matches(spec->params[i].doc, word, length))
            return 1;
    return 0;
}

/* The sum over all words of the query, 0 as soon as one is not found. */
static int query_score(const struct tool_spec *spec, const char *query)
{
    static const char separators[] = " \t\r\n,_-";
    int score = 1;

    for (query += strspn(query, separators); *query; query += strspn(query, separators)) {
        size_t length = strcspn(query, separators);
        int points = word_score(spec, query, length);
        if (points == 0)
            return 0;
        score += points;
        query += length;
    }
    return score;
}

static int matches_append(PyObject *list, const char *query, int score)
{
    const struct toolset *tools = session_tools();

    for (size_t i = 0; i < tools->count; i++)
        if (query_score(tools->specs[i], query) == score &&
            list_append_text(list, spec_python_name(tools->specs[i])) < 0)
            return -1;
    return 0;
}

static const char *query_text(PyObject *query)
{
    if (PyUnicode_Check(query))
        return PyUnicode_AsUTF8(query);
    PyErr_Format(PyExc_TypeError, "search_tools() needs a str, not %s", Py_TYPE(query)->tp_name);
    return NULL;
}

PyObject *catalog_search_tools(PyObject *module, PyObject *args, PyObject *keywords)
{
    const struct toolset *tools = session_tools();
    PyObject *query = argument_get(args, keywords, "O:search_tools", "query");
    const char *text = query ? query_text(query) : NULL;
    _cleanup_object_ PyObject *list = text ? PyList_New(0) : NULL;
    int best = 0;
    (void)module;

    for (size_t i = 0; list && i < tools->count; i++) {
        int score = query_score(tools->specs[i], text);
        best = score > best ? score : best;
    }
    for (int score = best; list && score > 0; score--)
        if (matches_append(list, text, score) < 0)
            return NULL;
    return object_steal(&list);
}

/* ---- describe ---------------------------------------------------------------------------------
 */

static const struct tool_spec *spec_of(PyObject *module, PyObject *name)
{
    const struct toolset *tools = session_tools();
    const struct tool_spec *spec = toolfunc_spec(hermes_state(module), name);
    if (spec)
        return spec;
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "describe() needs a tool's name, not %s",
                     Py_TYPE(name)->tp_name);
        return NULL;
    }
    const char *text = PyUnicode_AsUTF8(name);
    for (size_t i = 0; text && i < tools->count; i++)
        if (str_equal(text, spec_python_name(tools->specs[i])) ||
            str_equal(text, tools->specs[i]->name))
            return tools->specs[i];
    if (text) {
        _cleanup_object_ PyObject *missing = catalog_missing_text("no such tool", text);
        if (missing)
            PyErr_SetObject(PyExc_ValueError, missing);
    }
    return NULL;
}

PyObject *catalog_describe(PyObject *module, PyObject *args, PyObject *keywords)
{
    PyObject *name = argument_get(args, keywords, "O:describe", "name");
    const struct tool_spec *spec = name ? spec_of(module, name) : NULL;
    _cleanup_buf_ struct buf text = BUF_INIT(0);

    if (!spec)
        return NULL;
    int r = pystub_append_signature(&text, spec);
    if (r == 0)
        r = buf_append_text(&text, "\n\n");
    if (r == 0)
        r = pystub_append_doc(&text, spec);
    return buffer_text(&text, r);
}
