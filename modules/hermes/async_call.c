/* SPDX-License-Identifier: MIT
 *
 * Calls without a waiting thread, for aio.py: start(tool, args, kwargs, callback) sends, whoever
 * reads the channel calls callback(call) when the answer is there, call.result() decodes it.
 */
#include "hermes/call.h"

struct async_call {
    PyObject_HEAD struct tool_call *call;
    PyObject *module, *callback;
};

/* Takes over the reference that kept the call alive while the channel knew it. */
void async_call_deliver(PyObject *self)
{
    _cleanup_object_ PyObject *held = self;
    _cleanup_object_ PyObject *callback = ((struct async_call *)held)->callback;

    ((struct async_call *)held)->callback = NULL;
    if (!callback)
        return;
    _cleanup_object_ PyObject *r = PyObject_CallOneArg(callback, held);
    if (!r && PyErr_ExceptionMatches(PyExc_RuntimeError))
        PyErr_Clear(); /* the event loop has been closed meanwhile */
    else if (!r)
        PyErr_WriteUnraisable(callback);
}

static PyObject *async_call_cancel(PyObject *self, PyObject *unused)
{
    struct async_call *async = (struct async_call *)self;
    const struct hermes_session *session = hermes_session_current();
    (void)unused;

    if (channel_is_owner(session->channel) &&
        channel_abandon(session->channel, &async->call->base)) {
        Py_CLEAR(async->callback);
        Py_DECREF(self);
    }
    Py_RETURN_NONE;
}

static PyObject *async_call_result(PyObject *self, PyObject *unused)
{
    struct async_call *async = (struct async_call *)self;
    (void)unused;
    return call_result(hermes_state(async->module), async->call);
}

static int async_call_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((struct async_call *)self)->module);
    Py_VISIT(((struct async_call *)self)->callback);
    return 0;
}

static int async_call_clear(PyObject *self)
{
    Py_CLEAR(((struct async_call *)self)->callback);
    return 0;
}

static void async_call_dealloc(PyObject *self)
{
    struct async_call *async = (struct async_call *)self;
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    async_call_clear(self);
    async->call = call_free(async->call);
    Py_CLEAR(async->module);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef async_call_methods[] = {
    {"cancel", async_call_cancel, METH_NOARGS, "Give the call up; the host is told."},
    {"result", async_call_result, METH_NOARGS, "The decoded result, once callback was called."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot async_call_slots[] = {
    {Py_tp_dealloc, async_call_dealloc},
    {Py_tp_traverse, async_call_traverse},
    {Py_tp_clear, async_call_clear},
    {Py_tp_methods, async_call_methods},
    {0, NULL},
};

static PyType_Spec async_call_type_spec = {
    .name = "hermes_tools.async_call",
    .basicsize = sizeof(struct async_call),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION |
             Py_TPFLAGS_IMMUTABLETYPE,
    .slots = async_call_slots,
};

PyObject *async_type_new(PyObject *module)
{
    return PyType_FromModuleAndSpec(module, &async_call_type_spec, NULL);
}

static PyObject *async_call_new(PyObject *module, struct tool_call *call, PyObject *callback)
{
    PyTypeObject *type = hermes_state(module)->async_type;
    struct async_call *async = (struct async_call *)type->tp_alloc(type, 0);

    if (!async)
        return NULL;
    async->call = call;
    async->module = Py_NewRef(module);
    async->callback = Py_NewRef(callback);
    call->base.is_async = true;
    call->base.user = async;
    return (PyObject *)async;
}

/* One vectorcall array of a tuple and a dict. values_list keeps the values alive. */
static PyObject *values_list_new(PyObject *args, PyObject *keywords)
{
    _cleanup_object_ PyObject *list = PySequence_List(args);
    _cleanup_object_ PyObject *values = list ? PyDict_Values(keywords) : NULL;

    if (!values || PyList_SetSlice(list, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, values) < 0)
        return NULL;
    return PySequence_Tuple(list);
}

static struct tool_call *call_from_python(const struct tool_spec *spec, PyObject *args,
                                          PyObject *keywords)
{
    struct bound_args bound __attribute__((cleanup(bound_args_deinit))) = {0};
    _cleanup_object_ PyObject *values = values_list_new(args, keywords);
    _cleanup_object_ PyObject *keys = values ? PyDict_Keys(keywords) : NULL;
    _cleanup_object_ PyObject *names = keys ? PySequence_Tuple(keys) : NULL;

    if (!names || bind_arguments(&bound, spec, PySequence_Fast_ITEMS(values),
                                 PyTuple_GET_SIZE(args), names) < 0)
        return NULL;
    return call_new(spec, &bound);
}

PyObject *aio_start(PyObject *module, PyObject *args)
{
    PyObject *tool, *positional, *keywords, *callback;

    if (!PyArg_ParseTuple(args, "OO!O!O:start", &tool, &PyTuple_Type, &positional, &PyDict_Type,
                          &keywords, &callback))
        return NULL;
    const struct tool_spec *spec = toolfunc_spec(hermes_state(module), tool);
    if (!spec) {
        PyErr_SetString(PyExc_TypeError, "start() needs a tool function");
        return NULL;
    }
    struct tool_call *call = call_from_python(spec, positional, keywords);
    struct hermes_channel *channel = call ? call_channel() : NULL;
    PyObject *async = channel ? async_call_new(module, call, callback) : NULL;
    if (!async) {
        call_free(call);
        return NULL;
    }
    Py_INCREF(async); /* the channel's; async_call_deliver or cancel gives it back */
    channel_submit(channel, &call->base);
    calls_deliver(channel); /* on a dead channel it is over already */
    return async;
}

/* True when there is more to be written than the socket takes now. */
PyObject *aio_pump(PyObject *module, PyObject *unused)
{
    struct hermes_channel *channel = call_channel();
    bool wants_write;
    (void)module;
    (void)unused;

    if (!channel)
        return NULL;
    Py_BEGIN_ALLOW_THREADS channel_pump(channel);
    wants_write = channel_wants_write(channel);
    Py_END_ALLOW_THREADS calls_deliver(channel);
    return PyBool_FromLong(wants_write);
}

PyObject *aio_descriptor(PyObject *module, PyObject *unused)
{
    struct hermes_channel *channel = call_channel();
    (void)module;
    (void)unused;
    return channel ? PyLong_FromLong(hermes_channel_fd(channel)) : NULL;
}
