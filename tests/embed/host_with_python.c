/* SPDX-License-Identifier: MIT
 *
 * A host that embeds its own Python beside libptchost. The two interpreters live in two processes and
 * know nothing of each other: state, signal handlers and locale of the host's stay as they are, also
 * while a script runs and calls a tool that is a function of the host's Python.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "ptc_host.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static const char *const SPEC =
    "{\"name\": \"evaluate\", \"description\": \"In the host's Python.\", \"parameters\": "
    "{\"type\":"
    " \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}}, \"required\": [\"x\"]}}";

/* Calls __main__.evaluate of the host's own interpreter. */
static void evaluate(ptc_call *call, void *user)
{
    PyObject *main_module = user, *answer;
    const char *text;
    Py_ssize_t length;

    answer = PyObject_CallMethod(main_module, "evaluate", "s", ptc_call_args_json(call, NULL));
    text = answer ? PyUnicode_AsUTF8AndSize(answer, &length) : NULL;
    if (text)
        ptc_call_reply(call, text, (size_t)length);
    else
        ptc_call_reply(call, "{\"error\": \"python\"}", 19);
    Py_XDECREF(answer);
    PyErr_Clear();
}

static int run_once(ptc_host *host, struct ptc_error *error)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_result *result;
    int good;

    options.code = "import os, sys\n"
                   "from hermes_tools import evaluate\n"
                   "answer = evaluate(x=20)\n"
                   "print(answer['x'], answer['pid'] != os.getpid(), 'counter' in globals(),\n"
                   "      hasattr(sys, 'mark_of_the_host'))";
    result = ptc_run(host, &options, error);
    CHECK(result);
    good = strcmp(ptc_result_output(result, NULL), "41 True False False\n") == 0;
    if (!good)
        fprintf(stderr, "%s\n", ptc_result_json(result, NULL));
    ptc_result_free(result);
    return !good;
}

int main(int argc, char **argv)
{
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    struct sigaction before, after;
    PyObject *main_module;
    ptc_host *host;

    CHECK(argc == 2);
    options.child_path = argv[1];
    host = ptc_host_new(&options, &error); /* before Python, as after it */
    Py_InitializeEx(1);
    CHECK(PyRun_SimpleString("import json, os, signal, sys, threading\n"
                             "sys.mark_of_the_host = counter = 0\n"
                             "def evaluate(args):\n"
                             "    global counter\n"
                             "    counter += 1\n"
                             "    x = json.loads(args)['x']\n"
                             "    return json.dumps({'x': 2 * x + 1, 'pid': os.getpid()})\n"
                             "signal.signal(signal.SIGUSR1, lambda *a: None)\n") == 0);
    main_module = PyImport_AddModule("__main__");
    sigaction(SIGINT, NULL, &before);
    CHECK(host && ptc_host_add_tool(host, SPEC, evaluate, main_module, NULL, &error) == 0);
    for (int i = 0; i < 5; i++)
        CHECK(run_once(host, &error) == 0);
    sigaction(SIGINT, NULL, &after);
    CHECK(before.sa_handler == after.sa_handler && before.sa_handler != SIG_DFL);
    CHECK(PyRun_SimpleString("assert counter == 5, counter\n"
                             "assert signal.getsignal(signal.SIGUSR1) is not signal.SIG_DFL\n"
                             "assert threading.active_count() == 1\n") == 0);
    CHECK(Py_FinalizeEx() == 0);
    ptc_host_free(host); /* after Python is gone */
    puts("both are well");
    return 0;
}
