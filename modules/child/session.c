/* SPDX-License-Identifier: MIT
 *
 * The steps from fork to user code, in their order and with their reasons.
 */
#include "child/session.h"

#include "base/err.h"
#include "base/fd.h"
#include "child/hotpages.h"
#include "child/interpreter.h"
#include "child/run_message.h"
#include "child/syntax.h"
#include "hermes/channel.h"
#include "hermes/hermes.h"
#include "python/interp.h"
#include "python/script.h"
#include "sandbox/sandbox.h"
#include "tools/tools.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CALL_FD         3
#define CALLS_IN_FLIGHT 64
#define EXIT_SETUP      71 /* as sysexits' EX_OSERR: the run never began */

static _Noreturn void session_fail(const char *step, int r)
{
    dprintf(STDERR_FILENO, "ptc-child: %s: %s\n", step, strerror(-r));
    _exit(EXIT_SETUP);
}

static void signals_reset(void)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL); /* init blocks SIGCHLD; a run inherits nothing blocked */
}

/* The script's fds are 0, 1, 2 and its call channel, and nothing else: asserted, because one leaked
 * directory fd defeats every mount. */
static void fds_assert(void)
{
    int fds[8];
    int count = fd_list(fds, 8);

    if (count < 0)
        return; /* no /proc in this run; fd_close_all_except has closed by number */
    for (int i = 0; i < count && i < 8; i++)
        if (fds[i] != i)
            session_fail("an unknown file descriptor is open", -EBADFD);
    if (count != CALL_FD + 1)
        session_fail("an unknown file descriptor is open", -EBADFD);
}

static void script_fds(const struct session *session)
{
    static const int keep[] = {0, 1, 2, CALL_FD};
    /* Out of the way first: the targets 0..3 may be among the sources. */
    int out = fcntl(session->out_fd, F_DUPFD_CLOEXEC, 10);
    int err = fcntl(session->err_fd, F_DUPFD_CLOEXEC, 10);
    int call = fcntl(session->call_fd, F_DUPFD_CLOEXEC, 10);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (out < 0 || err < 0 || call < 0 || null < 0 || dup2(err, 2) < 0 || dup2(out, 1) < 0 ||
        dup2(null, 0) < 0 || dup3(call, CALL_FD, O_CLOEXEC) < 0)
        _exit(EXIT_SETUP);
    if (fd_close_all_except(0, keep, sizeof keep / sizeof *keep) < 0)
        session_fail("cannot close file descriptors", -errno);
    fds_assert();
}

static void directory_enter(const struct session *session)
{
    int r = session->setup->scratch_cwd ? chdir(session->scratch) : fchdir(session->workspace_fd);

    if (r < 0)
        session_fail("cannot enter the working directory", -errno);
}

static void privileges_drop(void)
{
    unsigned layers = 0;
    int r = privs_apply(&layers);

    if (r < 0)
        session_fail("cannot give up privileges", r);
}

/* ---- os.environ: made when the zygote's interpreter started; init has changed the C environment
 * since ---- */

static int environ_set(PyObject *mapping, const char *name, size_t name_length, const char *value)
{
    PyObject *key = PyUnicode_DecodeFSDefaultAndSize(name, (Py_ssize_t)name_length);
    PyObject *text = PyUnicode_DecodeFSDefault(value);
    int r = key && text ? PyObject_SetItem(mapping, key, text) : -1;

    Py_XDECREF(key);
    Py_XDECREF(text);
    return r;
}

static int environ_refresh(const struct run_setup *setup)
{
    static const char *const changed[] = {"HOME", "TMPDIR"};
    PyObject *os = PyImport_ImportModule("os");
    PyObject *mapping = os ? PyObject_GetAttrString(os, "environ") : NULL;
    int r = mapping ? 0 : -1;

    for (size_t i = 0; r == 0 && i < sizeof changed / sizeof *changed; i++)
        r = environ_set(mapping, changed[i], strlen(changed[i]), getenv(changed[i]));
    for (size_t i = 0; r == 0 && i < setup->env_count; i++) {
        const char *entry = setup->env[i], *equals = strchr(entry, '=');

        if (equals)
            r = environ_set(mapping, entry, (size_t)(equals - entry), equals + 1);
    }
    Py_XDECREF(mapping);
    Py_XDECREF(os);
    return r;
}

/* setup: NULL when os.environ has it already. */
static _Noreturn void script_serve(const struct run_setup *setup, struct hermes_channel *channel)
{
    struct run_message message;
    struct hermes_session hermes = {.channel = channel};
    struct script_outcome outcome = {.exit_code = EXIT_SETUP};
    struct err err = ERR_INIT;

    if (run_message_receive(&message, channel, &err) < 0) {
        dprintf(STDERR_FILENO, "ptc-child: %s\n", err.text);
        _exit(EXIT_SETUP);
    }
    hermes.tools = &message.tools;
    if ((setup && environ_refresh(setup) < 0) || hermes_session_begin(&hermes) < 0) {
        PyErr_Print();
        _exit(EXIT_SETUP);
    }
    script_run(&message.source, &outcome);
    hermes_channel_send_done(channel, outcome.exit_code, outcome.signal);
    _exit(outcome.exit_code);
}

_Noreturn void session_script(const struct session *session)
{
    struct hermes_channel *channel;
    struct err err = ERR_INIT;
    int r;

    if (session->own_group)
        setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* init's; a second belt where there is no pid namespace */
    prctl(PR_SET_NAME, "ptc-script");
    signals_reset();
    directory_enter(session); /* by fd, before the fds go */
    script_fds(session);
    privileges_drop();
    hotpages_populate(session->hotpages);
    r = interpreter_ready(session->zygote_setup, &err);
    if (r < 0)
        session_fail(err.text, r);
    channel = hermes_channel_new(CALL_FD, CALLS_IN_FLIGHT);
    if (!channel)
        session_fail("cannot open the tool channel", -ENOMEM);
    script_serve(r == 1 ? NULL : session->setup, channel);
}

void session_rehearse(void)
{
    static const char code[] = "class Rehearsal:\n"
                               "    def list(self): return [str(i) for i in range(3)]\n"
                               "try:\n"
                               "    d = {'a': Rehearsal().list(), 'b': f'{1.5:.2f}'}\n"
                               "    print(', '.join(map(str, sorted(d.items()))))\n"
                               "except ValueError: pass\n";
    const struct script_source source = {.code = code,
                                         .code_length = sizeof code - 1,
                                         .filename = "script.py",
                                         .argv0 = "script.py"};
    const struct run_setup setup = {0};
    struct toolset tools = {0};
    struct hermes_session hermes = {.tools = &tools};
    struct script_outcome outcome;

    interp_after_fork_child();
    if (environ_refresh(&setup) < 0 || hermes_session_begin(&hermes) < 0)
        PyErr_Clear();
    script_run(&source, &outcome);
}

static void tools_fds(const struct session *session, int *channel_fd, int *workspace_fd)
{
    int channel = fcntl(*channel_fd, F_DUPFD_CLOEXEC, 10);
    int workspace = fcntl(session->workspace_fd, F_DUPFD_CLOEXEC, 10);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int keep[] = {0, 1, 2, 3, 4};

    if (channel < 0 || workspace < 0 || null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
        dup2(null, 2) < 0 || dup3(channel, 3, O_CLOEXEC) < 0 || dup3(workspace, 4, O_CLOEXEC) < 0)
        _exit(EXIT_SETUP);
    if (fd_close_all_except(0, keep, sizeof keep / sizeof *keep) < 0)
        _exit(EXIT_SETUP);
    *channel_fd = 3;
    *workspace_fd = 4;
}

_Noreturn void session_tools(const struct session *session, int channel_fd)
{
    struct tools_config config = {
        .workspace = session->setup->workspace,
        .home = session->scratch,
        .shell = "/bin/bash",
        .output_bytes_max = session->setup->output_bytes,
        .check_syntax = syntax_check,
        .check_context = session->zygote_setup,
    };

    setsid(); /* signals that the script sends to its own group are not for the tools */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "ptc-tools");
    signals_reset();
    if (fchdir(session->workspace_fd) < 0)
        _exit(EXIT_SETUP);
    tools_fds(session, &channel_fd, &config.workspace_fd);
    privileges_drop();
    prctl(PR_SET_DUMPABLE, 0); /* the script has the same uid and must not look in */
    _exit(tools_serve(channel_fd, &config) < 0 ? EXIT_SETUP : 0);
}
