/* SPDX-License-Identifier: MIT
 *
 * The checker's child, and the deadline that its parent holds over it.
 */
#include "child/syntax.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "child/interpreter.h"
#include "child/setup.h"
#include "python/compat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define CHECK_MS_MAX      5000
#define CHECK_REPLY_BYTES (64 * 1024)

/* Prints nothing when the text is fine, else one JSON object. TOMLDecodeError of 3.11 has its place
 * only in its words: "... (at line 3, column 7)", "... (at end of document)". */
static const char CHECKER[] =
    "def check(language, data):\n"
    "    import json, re\n"
    "    try:\n"
    "        if language == 'python':\n"
    "            import ast\n"
    "            ast.parse(data.decode('utf-8', 'surrogateescape').encode('utf-8', "
    "'surrogateescape'))\n"
    "        else:\n"
    "            import tomllib\n"
    "            tomllib.loads(data.decode('utf-8'))\n"
    "    except SyntaxError as e:\n"
    "        return json.dumps({'message': type(e).__name__ + ': ' + str(e.msg),\n"
    "                           'line': e.lineno or 0, 'column': e.offset or 0})\n"
    "    except Exception as e:\n"
    "        at = re.search(r' \\(at (?:line (\\d+), column (\\d+)|end of document)\\)$', str(e))\n"
    "        lines = data.decode('utf-8', 'replace').split('\\n')\n"
    "        end = (len(lines), len(lines[-1]) + 1)\n"
    "        place = (0, 0) if not at else end if not at[1] else (int(at[1]), int(at[2]))\n"
    "        return json.dumps({'message': type(e).__name__ + ': '\n"
    "                           + (str(e)[:at.start()] if at else str(e)),\n"
    "                           'line': place[0], 'column': place[1]})\n"
    "    return ''\n";

static PyObject *checker_call(const char *language, const char *text, size_t length)
{
    PyObject *globals = PyDict_New();
    PyObject *defined = NULL, *check, *verdict = NULL;

    if (!globals || PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins()) < 0)
        return NULL;
    defined = PyRun_String(CHECKER, Py_file_input, globals, globals);
    check = defined ? PyDict_GetItemString(globals, "check") : NULL;
    if (check)
        verdict = PyObject_CallFunction(check, "sy#", language, text, (Py_ssize_t)length);
    return verdict; /* the process ends: nothing is given back */
}

static _Noreturn void checker_run(const struct zygote_setup *setup, int out_fd,
                                  const char *language, const char *text, size_t length)
{
    PyObject *verdict;
    const char *reply;
    Py_ssize_t reply_length;

    if (interpreter_ready(setup, NULL) < 0)
        _exit(1);
    verdict = checker_call(language, text, length);
    reply = verdict ? PyUnicode_AsUTF8AndSize(verdict, &reply_length) : NULL;
    if (!reply || fd_write_all(out_fd, reply, (size_t)reply_length) < 0)
        _exit(1);
    _exit(0);
}

/* What the child wrote until it closed the pipe. 0 or negative errno (-ETIMEDOUT). */
static int reply_read(int fd, struct buf *reply)
{
    uint64_t deadline_ns = clock_now_ns() + CHECK_MS_MAX * NS_PER_MS;
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    char chunk[4096];

    for (;;) {
        uint64_t now = clock_now_ns();
        int ready =
            now < deadline_ns ? poll(&poll_fd, 1, (int)((deadline_ns - now) / NS_PER_MS) + 1) : 0;
        ssize_t n;

        if (ready == 0)
            return -ETIMEDOUT;
        if (ready < 0 && errno == EINTR)
            continue;
        n = read(fd, chunk, sizeof chunk);
        if (n <= 0)
            return n == 0 ? 0 : -errno;
        if (buf_append(reply, chunk, (size_t)n) < 0)
            return -EMSGSIZE;
    }
}

json_t *syntax_check(const void *setup, const char *language, const char *text, size_t length,
                     bool *ret_checked)
{
    _cleanup_buf_ struct buf reply = BUF_INIT(CHECK_REPLY_BYTES);
    int pipe_fds[2], status = 0, r;
    json_t *verdict = NULL;
    pid_t pid;

    *ret_checked = false;
    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return NULL;
    pid = fork();
    if (pid == 0)
        checker_run(setup, pipe_fds[1], language, text, length);
    fd_close(pipe_fds[1]);
    r = pid > 0 ? reply_read(pipe_fds[0], &reply) : -EAGAIN;
    fd_close(pipe_fds[0]);
    if (pid < 0)
        return NULL;
    if (r < 0)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    *ret_checked = r == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (*ret_checked && reply.length)
        verdict = json_parse((const char *)reply.data, reply.length, 8, NULL);
    return verdict;
}
