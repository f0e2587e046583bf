/* SPDX-License-Identifier: MIT
 *
 * The script's process, from fork to user code, in two parts: what can be done before the run is
 * known, and what GO brings.
 */
#include "child/session.h"

#include "base/err.h"
#include "base/fd.h"
#include "child/hotpages.h"
#include "child/interpreter.h"
#include "child/run_message.h"
#include "hermes/channel.h"
#include "hermes/hermes.h"
#include "python/interp.h"
#include "python/script.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define CALL_FD         3 /* before GO: the socket that GO comes from */
#define CALLS_IN_FLIGHT 64

_Noreturn void session_fail(const char *step, int r)
{
    dprintf(STDERR_FILENO, "ptc-child: %s: %s\n", step, strerror(-r));
    _exit(SESSION_EXIT_SETUP);
}

void session_reset_signals(void)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL); /* init blocks SIGCHLD; a run inherits nothing blocked */
}

/* ---- before the run is known ---- */

static void fds_prepare(int go_fd)
{
    static const int keep[] = {0, 1, 2, CALL_FD};
    int go = fcntl(go_fd, F_DUPFD_CLOEXEC, 10); /* out of the way of the targets */
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (go < 0 || null < 0 || dup2(null, 0) < 0 || dup3(go, CALL_FD, O_CLOEXEC) < 0 ||
        fd_close_all_except(0, keep, sizeof keep / sizeof *keep) < 0)
        _exit(SESSION_EXIT_SETUP);
}

static void process_prepare(const struct script_config *config)
{
    unsigned layers = 0;

    if (config->own_group)
        setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* init's; a second belt where there is no pid namespace */
    prctl(PR_SET_NAME, "ptc-script");
    session_reset_signals();
    fds_prepare(config->go_fd);
    if (privs_apply(&layers) < 0)
        _exit(SESSION_EXIT_SETUP);
    /* Init must not be looked into, a script may look at itself: /proc/self is its own. */
    prctl(PR_SET_DUMPABLE, 1);
}

static int interpreter_prepare(const struct script_config *config, struct err *err)
{
    if (interpreter_is_there())
        hotpages_populate(config->hotpages);
    return interpreter_ready(config->zygote_setup, err);
}

/* ---- GO ---- */

struct gone {
    struct go go;
    char *env; /* go.env_bytes, ends with a NUL */
    int fds[GO_FDS];
};

static void go_receive(struct gone *gone)
{
    char *packet = malloc(GO_BYTES_MAX + 1);
    size_t fd_count = 0;
    ssize_t n =
        packet ? fd_receive_packet(CALL_FD, 0, packet, GO_BYTES_MAX, gone->fds, GO_FDS, &fd_count)
               : -ENOMEM;

    if (n == 0)
        _exit(0); /* no run has wanted this process */
    if (n < (ssize_t)sizeof gone->go || fd_count != GO_FDS)
        _exit(SESSION_EXIT_SETUP);
    memcpy(&gone->go, packet, sizeof gone->go);
    if (gone->go.env_bytes != (size_t)n - sizeof gone->go)
        _exit(SESSION_EXIT_SETUP);
    packet[n] = '\0';
    gone->env = packet + sizeof gone->go;
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

static void fds_arrange(const struct gone *gone)
{
    static const int keep[] = {0, 1, 2, CALL_FD};

    /* They came in above CALL_FD, so no target is a source. */
    if (dup2(gone->fds[2], 2) < 0 || dup2(gone->fds[1], 1) < 0 ||
        dup3(gone->fds[0], CALL_FD, O_CLOEXEC) < 0)
        _exit(SESSION_EXIT_SETUP);
    if (fchdir(gone->fds[3]) < 0)
        session_fail("cannot enter the working directory", -errno);
    if (fd_close_all_except(0, keep, sizeof keep / sizeof *keep) < 0)
        session_fail("cannot close file descriptors", -errno);
    fds_assert();
}

static int environ_set(PyObject *mapping, const char *entry)
{
    const char *equals = strchr(entry, '=');
    PyObject *key = PyUnicode_DecodeFSDefaultAndSize(entry, equals ? equals - entry : 0);
    PyObject *value = PyUnicode_DecodeFSDefault(equals ? equals + 1 : "");
    int r = key && value && equals ? PyObject_SetItem(mapping, key, value) : -1;

    Py_XDECREF(key);
    Py_XDECREF(value);
    return r;
}

/* os.environ, which sets the C environment too. */
static int environ_change(const struct gone *gone)
{
    const char *entry = gone->env, *end = gone->env + gone->go.env_bytes;
    PyObject *os, *mapping;
    int r;

    if (entry == end)
        return 0;
    os = PyImport_ImportModule("os");
    mapping = os ? PyObject_GetAttrString(os, "environ") : NULL;
    for (r = mapping ? 0 : -1; r == 0 && entry < end; entry += strlen(entry) + 1)
        r = environ_set(mapping, entry);
    Py_XDECREF(mapping);
    Py_XDECREF(os);
    return r;
}

/* ---- the run ---- */

static _Noreturn void script_serve(const struct gone *gone, struct hermes_channel *channel)
{
    struct run_message message;
    struct hermes_session hermes = {.channel = channel};
    struct script_outcome outcome = {.exit_code = SESSION_EXIT_SETUP};
    struct err err = ERR_INIT;

    if (run_message_receive(&message, channel, &err) < 0) {
        dprintf(STDERR_FILENO, "ptc-child: %s\n", err.text);
        _exit(SESSION_EXIT_SETUP);
    }
    hermes.tools = &message.tools;
    if (environ_change(gone) < 0 || hermes_session_begin(&hermes) < 0) {
        PyErr_Print();
        _exit(SESSION_EXIT_SETUP);
    }
    script_run(&message.source, &outcome);
    hermes_channel_send_done(channel, outcome.exit_code, outcome.signal);
    _exit(outcome.exit_code);
}

_Noreturn void session_script(const struct script_config *config)
{
    struct hermes_channel *channel;
    struct err err = ERR_INIT;
    unsigned layers = 0;
    struct gone gone;
    bool was_there = interpreter_is_there();
    int started, r;

    process_prepare(config);
    started = interpreter_prepare(config, &err);
    go_receive(&gone);
    fds_arrange(&gone);
    if (started < 0)
        session_fail(err.text, started);
    if (!was_there &&
        interp_preload_failures()) /* a zygote that has imported them tells the host */
        dprintf(STDERR_FILENO, "ptc-child: preload: %s\n", interp_preload_failures());
    r = rlimits_apply(&gone.go.limits, &layers);
    if (r < 0)
        session_fail("cannot limit resources", r);
    channel = hermes_channel_new(CALL_FD, CALLS_IN_FLIGHT);
    if (!channel)
        session_fail("cannot open the tool channel", -ENOMEM);
    script_serve(&gone, channel);
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
    struct toolset tools = {0};
    struct hermes_session hermes = {.tools = &tools};
    struct script_outcome outcome;

    interpreter_ready(NULL, NULL);
    if (hermes_session_begin(&hermes) < 0)
        PyErr_Clear();
    script_run(&source, &outcome);
}
