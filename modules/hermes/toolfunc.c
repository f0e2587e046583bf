/* SPDX-License-Identifier: MIT
 *
 * A tool as a function: callable by the vectorcall protocol, with everything that inspect, help()
 * and functools.wraps look at. Signature, annotations and documentation are made on first sight.
 */
#include "hermes/bind.h"
#include "hermes/state.h"

#include <stddef.h>
#include <structmember.h>

struct toolfunc {
    PyObject_HEAD vectorcallfunc vectorcall;
    const struct tool_spec *spec; /* the session's */
    PyObject *module;             /* keeps the module's state alive */
    PyObject *signature, *annotations, *doc;
    PyObject *weak_references;
};

static PyObject *toolfunc_call(PyObject *self, PyObject *const *args, size_t flagged_count,
                               PyObject *keyword_names)
{
    struct toolfunc *tool = (struct toolfunc *)self;
    Py_ssize_t count = PyVectorcall_NARGS(flagged_count);
    struct bound_args bound __attribute__((cleanup(bound_args_deinit)));

    if (bind_arguments(&bound, tool->spec, args, count, keyword_names) < 0)
        return NULL;
    if (!tool->module) {
        PyErr_SetString(PyExc_RuntimeError, "hermes_tools is being torn down");
        return NULL;
    }
    return call_run(hermes_state(tool->module), tool->spec, &bound);
}

PyObject *toolfunc_new(PyObject *module, const struct tool_spec *spec)
{
    PyTypeObject *type = hermes_state(module)->tool_type;
    struct toolfunc *tool = (struct toolfunc *)type->tp_alloc(type, 0);

    if (!tool)
        return NULL;
    tool->vectorcall = toolfunc_call;
    tool->spec = spec;
    tool->module = Py_NewRef(module);
    return (PyObject *)tool;
}

const struct tool_spec *toolfunc_spec(struct module_state *state, PyObject *object)
{
    return Py_IS_TYPE(object, state->tool_type) ? ((struct toolfunc *)object)->spec : NULL;
}

static int toolfunc_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct toolfunc *tool = (struct toolfunc *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(tool->module);
    Py_VISIT(tool->signature);
    Py_VISIT(tool->annotations);
    return 0;
}

static int toolfunc_clear(PyObject *self)
{
    struct toolfunc *tool = (struct toolfunc *)self;

    Py_CLEAR(tool->module);
    Py_CLEAR(tool->signature);
    Py_CLEAR(tool->annotations);
    Py_CLEAR(tool->doc);
    return 0;
}

static void toolfunc_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    if (((struct toolfunc *)self)->weak_references)
        PyObject_ClearWeakRefs(self);
    toolfunc_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *toolfunc_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<tool function %s>",
                                spec_python_name(((struct toolfunc *)self)->spec));
}

/* As an attribute of a class a tool stays what it is, as builtin functions do. Having __get__ at
 * all is what makes it a routine for inspect and pydoc. */
static PyObject *toolfunc_get(PyObject *self, PyObject *object, PyObject *type)
{
    (void)object;
    (void)type;
    return Py_NewRef(self);
}

static PyObject *name_get(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(spec_python_name(((struct toolfunc *)self)->spec));
}

static PyObject *doc_get(PyObject *self, void *unused)
{
    struct toolfunc *tool = (struct toolfunc *)self;
    (void)unused;
    if (!tool->doc)
        tool->doc = catalog_doc_text(tool->spec);
    return Py_XNewRef(tool->doc);
}

static PyObject *signature_get(PyObject *self, void *unused)
{
    struct toolfunc *tool = (struct toolfunc *)self;
    (void)unused;
    if (!tool->signature)
        tool->signature = signature_new(tool->spec);
    return Py_XNewRef(tool->signature);
}

static PyObject *annotations_get(PyObject *self, void *unused)
{
    struct toolfunc *tool = (struct toolfunc *)self;
    (void)unused;
    if (!tool->annotations)
        tool->annotations = annotations_new(tool->spec);
    return Py_XNewRef(tool->annotations);
}

static PyObject *toolfunc_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyErr_Format(PyExc_TypeError,
                 "cannot pickle the tool function %s: tools work only in the process of the script "
                 "(use threads instead of processes)",
                 spec_python_name(((struct toolfunc *)self)->spec));
    return NULL;
}

/* copy.copy and copy.deepcopy: functions are atoms. */
static PyObject *toolfunc_copy(PyObject *self, PyObject *memo)
{
    (void)memo;
    return Py_NewRef(self);
}

static PyMethodDef toolfunc_methods[] = {
    {"__reduce__", toolfunc_reduce, METH_NOARGS, NULL},
    {"__copy__", toolfunc_copy, METH_NOARGS, NULL},
    {"__deepcopy__", toolfunc_copy, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef toolfunc_getset[] = {
    {"__name__", name_get, NULL, NULL, NULL},
    {"__qualname__", name_get, NULL, NULL, NULL},
    {"__doc__", doc_get, NULL, NULL, NULL},
    {"__signature__", signature_get, NULL, NULL, NULL},
    {"__annotations__", annotations_get, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef toolfunc_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct toolfunc, vectorcall), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct toolfunc, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot toolfunc_slots[] = {
    {Py_tp_dealloc, toolfunc_dealloc}, {Py_tp_traverse, toolfunc_traverse},
    {Py_tp_clear, toolfunc_clear},     {Py_tp_repr, toolfunc_repr},
    {Py_tp_call, PyVectorcall_Call},   {Py_tp_descr_get, toolfunc_get},
    {Py_tp_methods, toolfunc_methods}, {Py_tp_getset, toolfunc_getset},
    {Py_tp_members, toolfunc_members}, {0, NULL},
};

static PyType_Spec toolfunc_type_spec = {
    .name = "hermes_tools.tool_function",
    .basicsize = sizeof(struct toolfunc),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
             Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = toolfunc_slots,
};

PyObject *toolfunc_type_new(PyObject *module)
{
    return PyType_FromModuleAndSpec(module, &toolfunc_type_spec, NULL);
}
