/* SPDX-License-Identifier: MIT
 *
 * Interpreter start: what must be in order in the process before CPython starts (standard
 * descriptors, stack, signals), CPython itself, and what python3 gives a script beyond it (exit and
 * help as builtins, stdout by lines, the preloaded modules).
 */
#include "python/interp.h"

#include "base/err.h"
#include "python/arena.h"
#include "python/display.h"
#include "python/interp_config.h"
#include "python/object.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#define STATE_PRELOAD_FAILURES "preload failures"

/* The main thread's stack grows up to the soft limit of this moment, not of exec. */
static void interp_raise_stack(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= INTERP_STACK_BYTES) {
        return;
    }
    limit.rlim_cur = limit.rlim_max < INTERP_STACK_BYTES ? limit.rlim_max : INTERP_STACK_BYTES;
    (void)setrlimit(RLIMIT_STACK, &limit);
}

/* CPython keeps what it inherits: a SIGINT that the parent ignored would never be a
 * KeyboardInterrupt. It installs its own three dispositions on top of this. */
static void interp_reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        (void)sigaction(number, &action, NULL); /* KILL, STOP and glibc's own two refuse */
    }
    sigset_t none;
    sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
}

/* With a standard descriptor closed Python leaves sys.stdout None, and the next file that is opened
 * becomes descriptor 1. */
static int interp_check_descriptors(struct err *err)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            return err_set(err, -EBADF, "descriptor %d must be open before Python starts", fd);
        }
    }
    return 0;
}

/* The pending exception as -EIO with its own words. */
static int interp_exception(struct err *err, const char *what)
{
    _cleanup_object_ PyObject *exception = compat_exception_take();
    _cleanup_object_ PyObject *text = exception == NULL ? NULL : PyObject_Str(exception);
    const char *words = text == NULL ? NULL : PyUnicode_AsUTF8(text);
    PyErr_Clear();
    return err_set(err, -EIO, "%s: %s", what, words == NULL ? "no reason given" : words);
}

/* exit, quit, copyright, credits, license and help are made by site, which our configuration does
 * not import: it brings os with it, and os half of what a cold start may cost. The three notices
 * are made when somebody looks at them. */
static const char SITE_BUILTINS[] =
    "import builtins, _sitebuiltins\n"
    "class Notice:\n"
    "    __slots__ = ('name',)\n"
    "    def __init__(self, name): self.name = name\n"
    "    def made(self):\n"
    "        import builtins, site\n"
    "        site.setcopyright()\n"
    "        return getattr(builtins, self.name)\n"
    "    def __repr__(self): return repr(self.made())\n"
    "    def __call__(self): return self.made()()\n"
    "for name in ('copyright', 'credits', 'license'): setattr(builtins, name, Notice(name))\n"
    "for name in ('quit', 'exit'):\n"
    "    setattr(builtins, name, _sitebuiltins.Quitter(name, 'Ctrl-D (i.e. EOF)'))\n"
    "builtins.help = _sitebuiltins._Helper()\n";

static int interp_add_site_builtins(void)
{
    _cleanup_object_ PyObject *names = PyDict_New();
    if (names == NULL || PyDict_SetItemString(names, "__builtins__", PyEval_GetBuiltins()) < 0) {
        return -1;
    }
    _cleanup_object_ PyObject *done = PyRun_String(SITE_BUILTINS, Py_file_input, names, names);
    return done == NULL ? -1 : 0;
}

/* On a pipe python3 buffers stdout in blocks, and a run that is killed would lose its last 8 KiB.
 * PyConfig has no setting for it (buffered_stdio = 0 costs a system call per write), hence
 * reconfigure: what is lost is at most a line that was never finished. */
static int interp_buffer_stdout_by_lines(void)
{
    PyObject *output = PySys_GetObject("stdout");
    _cleanup_object_ PyObject *method =
        output == NULL ? NULL : PyObject_GetAttrString(output, "reconfigure");
    _cleanup_object_ PyObject *arguments = PyTuple_New(0);
    _cleanup_object_ PyObject *keywords = Py_BuildValue("{s:O}", "line_buffering", Py_True);
    if (method == NULL || arguments == NULL || keywords == NULL) {
        return -1;
    }
    _cleanup_object_ PyObject *done = PyObject_Call(method, arguments, keywords);
    return done == NULL ? -1 : 0;
}

static int interp_note_failure(PyObject *failures, const char *name)
{
    PyErr_Clear();
    _cleanup_object_ PyObject *text = PyUnicode_DecodeFSDefault(name);
    return text == NULL ? -1 : PyList_Append(failures, text);
}

static int interp_keep_failures(PyObject *failures)
{
    if (PyList_GET_SIZE(failures) == 0) {
        return 0;
    }
    _cleanup_object_ PyObject *separator = PyUnicode_FromString(", ");
    _cleanup_object_ PyObject *names =
        separator == NULL ? NULL : PyUnicode_Join(separator, failures);
    if (names == NULL) {
        return -1;
    }
    return state_set(STATE_PRELOAD_FAILURES, PyUnicode_FromFormat("missing: %U", names));
}

static int interp_preload(const struct interp_config *config)
{
    _cleanup_object_ PyObject *failures = PyList_New(0);
    if (failures == NULL) {
        return -1;
    }
    for (size_t i = 0; i < config->preload_count; i++) {
        _cleanup_object_ PyObject *module = PyImport_ImportModule(config->preload[i]);
        if (module == NULL && interp_note_failure(failures, config->preload[i]) < 0) {
            return -1;
        }
    }
    return interp_keep_failures(failures);
}

static int interp_keep_functions(void)
{
    if (state_set(STATE_GET_OBJECTS, object_from_module("gc", "get_objects")) < 0) {
        return -1;
    }
    return state_set(STATE_RUN_EXITFUNCS, object_from_module("atexit", "_run_exitfuncs"));
}

/* What python3 does for a script after the core is up. */
static int interp_furnish(const struct interp_config *config, struct err *err)
{
    /* Before any preload: threading copies its exception hook when it is imported. */
    if (display_install() < 0) {
        return interp_exception(err, "cannot install the exception display");
    }
    if (interp_add_site_builtins() < 0) {
        return interp_exception(err, "cannot add exit and help to builtins");
    }
    if (interp_buffer_stdout_by_lines() < 0) {
        return interp_exception(err, "cannot buffer stdout by lines");
    }
    if (interp_preload(config) < 0) {
        return interp_exception(err, "cannot preload modules");
    }
    if (interp_keep_functions() < 0 || state_remember_modules() < 0) {
        return interp_exception(err, "cannot prepare the end of a run");
    }
    return 0;
}

int interp_init(const struct interp_config *config, const struct _inittab *inittab, struct err *err)
{
    int status = interp_check_descriptors(err);
    if (status < 0) {
        return status;
    }
    interp_raise_stack();
    interp_reset_signals();
    /* The table is copied; CPython only forgot the const. */
    if (inittab != NULL && PyImport_ExtendInittab((struct _inittab *)inittab) < 0) {
        return err_set(err, -ENOMEM, "no memory for the table of builtin modules");
    }
    if (config->shared) {
        arena_install();
    }
    PyStatus started = interp_config_start(config);
    if (PyStatus_Exception(started)) {
        return err_set(err, -EIO, "cannot start Python: %s",
                       started.err_msg == NULL ? "no reason given" : started.err_msg);
    }
    return interp_furnish(config, err);
}

const char *interp_preload_failures(void)
{
    PyObject *failures = state_get(STATE_PRELOAD_FAILURES);
    return failures == NULL ? NULL : PyUnicode_AsUTF8(failures);
}
