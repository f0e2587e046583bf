/* SPDX-License-Identifier: MIT
 *
 * Hints by class of failure. Each looks at facts of the host and at the last line of stderr; none
 * guesses.
 */
#include "run/hints.h"

#include "base/buf.h"
#include "base/str.h"
#include "run/python_env.h"
#include "run/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTALLED_NAMES_MAX 40

/* The last line that starts with `kind`: where CPython puts the exception. */
static const char *exception_find(const char *text, const char *kind)
{
    const char *found = NULL;

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (str_starts_with(line, kind))
            found = line;
        if (!*line)
            break;
    }
    return found;
}

static void missing_module(const struct run *run, const char *line, struct buf *hint)
{
    const char *start = strchr(line, '\''), *end = start ? strchr(start + 1, '\'') : NULL;
    char *installed = python_env_installed(&run->policy, INSTALLED_NAMES_MAX);

    if (end)
        buf_append_format(hint,
                          "The module %.*s is not installed for the embedded Python %s. The "
                          "standard library is there%s%s.",
                          (int)(end + 1 - start), start, PTC_PYTHON_VERSION,
                          installed ? "; installed besides: " : ", and nothing besides",
                          installed ? installed : "");
    free(installed);
}

static void memory_limit(const struct run *run, struct buf *hint)
{
    char text[32];

    if (run->policy.memory_bytes)
        buf_append_format(hint, "The memory limit of this run is %s (option memory).",
                          str_human_bytes(run->policy.memory_bytes, text, sizeof text));
}

static void unknown_name(const struct run *run, const char *line, struct buf *hint)
{
    const char *start = strchr(line, '\''), *end = start ? strchr(start + 1, '\'') : NULL;
    char name[64];

    if (!end || (size_t)(end - start) > sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s", (int)(end - start - 1), start + 1);
    if (toolset_find(&run->dispatch.tools, name))
        buf_append_format(hint, "%s is a tool: from hermes_tools import %s", name, name);
}

static bool network_missed(const struct run *run, const char *stderr_text)
{
    return run->policy.net == POLICY_NET_NONE &&
           (exception_find(stderr_text, "socket.gaierror: ") ||
            exception_find(stderr_text, "OSError: [Errno 101] "));
}

static bool processes_missed(const struct run *run, const char *stderr_text)
{
    return run->policy.processes &&
           (exception_find(stderr_text, "RuntimeError: can't start new thread") ||
            (exception_find(stderr_text, "BlockingIOError: [Errno 11] ") &&
             strstr(stderr_text, "fork")));
}

/* What a script has no way to find out by itself: the words are CPython's, the reason is ours. */
static void from_surroundings(const struct run *run, const char *stderr_text, struct buf *hint)
{
    if (network_missed(run, stderr_text))
        buf_append_text(hint, "The script has no network (option net).");
    else if (processes_missed(run, stderr_text))
        buf_append_format(hint, "This run may have %llu processes and threads (option processes).",
                          (unsigned long long)run->policy.processes);
    else if (exception_find(stderr_text, "EOFError: EOF when reading a line"))
        buf_append_text(hint, "Nobody can answer: the script's standard input is empty. Put the "
                              "values into the script or its arguments.");
    else if (exception_find(stderr_text, "SyntaxError: ") && strstr(stderr_text, "\n    ```"))
        buf_append_text(hint, "The code stands in a Markdown fence: send only what is between the "
                              "lines with ```.");
}

static void failed_call(const struct run *run, struct buf *hint)
{
    const struct call_record *last =
        run->dispatch.record_count ? &run->dispatch.records[run->dispatch.record_count - 1] : NULL;

    if (last && last->ended && !last->ok)
        buf_append_format(hint, "The last tool call, %s, had failed: its result has the key error.",
                          last->spec->name);
}

static void from_exception(const struct run *run, const char *stderr_text, struct buf *hint)
{
    const char *line;

    if ((line = exception_find(stderr_text, "ModuleNotFoundError: No module named ")))
        missing_module(run, line, hint);
    else if (exception_find(stderr_text, "MemoryError"))
        memory_limit(run, hint);
    else if ((line = exception_find(stderr_text, "NameError: name '")))
        unknown_name(run, line, hint);
    else if (run->policy.file_bytes && exception_find(stderr_text, "OSError: [Errno 27]"))
        buf_append_format(
            hint, "The largest file that this run may write has %llu bytes (option max_file).",
            (unsigned long long)run->policy.file_bytes);
    else if (exception_find(stderr_text, "KeyError: "))
        failed_call(run, hint);
    else
        from_surroundings(run, stderr_text, hint);
}

/* Also after a success: a script that passes over errors has a gap in what it prints. */
static void calls_used_up(const struct run *run, struct buf *hint)
{
    if (run->policy.max_tool_calls && run->dispatch.made >= run->policy.max_tool_calls &&
        run->dispatch.refused)
        buf_append_format(hint,
                          "All %llu tool calls of this run are used up (option max_tool_calls).",
                          (unsigned long long)run->policy.max_tool_calls);
}

static void from_limits(const struct run *run, const char *status, struct buf *hint)
{
    if (run->end == RUN_END_WALL)
        buf_append_text(hint, "The limit is the option timeout; output so far is kept. Split the "
                              "work, or ask for more time.");
    else if (run->signal == SIGXCPU)
        buf_append_text(hint, "The limit is the option cpu.");
    else if (run->signal == SIGKILL && run->end == RUN_END_EXITED)
        buf_append_text(hint, "Nobody asked for this kill: the machine may be short of memory.");
    else if (str_equal(status, "error"))
        calls_used_up(run, hint);
}

json_t *hints_make(const struct run *run, const char *status, const char *output,
                   const char *stderr_text)
{
    _cleanup_buf_ struct buf hint = BUF_INIT(0);

    if (str_equal(status, "success")) {
        calls_used_up(run, &hint);
        if (!hint.length && !*output && !run->tool)
            buf_append_text(&hint, "The script ran to its end and printed nothing. Only what it "
                                   "prints comes back: print() what you want to see.");
    } else {
        from_limits(run, status, &hint);
        if (!hint.length)
            from_exception(run, stderr_text, &hint);
    }
    return hint.length ? json_text((const char *)hint.data, hint.length) : NULL;
}
