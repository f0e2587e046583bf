/* SPDX-License-Identifier: MIT
 *
 * ptc_run and its background form: from the caller's struct to a run of the core.
 */
#include "api/child_path.h"
#include "api/host.h"
#include "api/session_dir.h"
#include "api/struct_size.h"
#include "api/workspace.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "base/utf8.h"
#include "run/result.h"
#include "run/run.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SCRIPT_BYTES_MAX (32u * 1024 * 1024)

/* Everything that the request points into, for the time of the start. */
struct script {
    const struct tool_spec *tool; /* or one call of this one */
    json_t *tool_args;
    struct buf file;
    const char *code;
    size_t code_length;
    char *filename;
    char *directory;
    char *workspace;
    struct toolset tools;
};

static void script_deinit(struct script *script)
{
    json_decref(script->tool_args);
    buf_deinit(&script->file);
    free(script->filename);
    free(script->directory);
    free(script->workspace);
    toolset_deinit(&script->tools);
}

static int file_read(struct script *script, const char *path, struct err *err)
{
    /* Not blocking: a FIFO without a writer must be refused, not waited for. */
    _cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    int r;

    if (fd < 0)
        return err_errno(err, -errno, "cannot open the script %s", path);
    if (fstat(fd, &st) < 0)
        return err_errno(err, -errno, "cannot look at the script %s", path);
    if (S_ISDIR(st.st_mode))
        return err_set(err, -EISDIR, "the script %s is a directory", path);
    if (!S_ISREG(st.st_mode))
        return err_set(err, -EINVAL, "the script %s is not a regular file", path);
    buf_init(&script->file, SCRIPT_BYTES_MAX);
    r = fd_read_all(fd, &script->file);
    if (r == -EMSGSIZE)
        return err_set(err, -EINVAL, "the script %s is larger than %u MiB", path,
                       SCRIPT_BYTES_MAX >> 20);
    if (r < 0)
        return err_errno(err, r, "cannot read the script %s", path);
    script->code = script->file.data ? (const char *)script->file.data : "";
    script->code_length = script->file.length;
    script->filename = realpath(path, NULL);
    script->directory = script->filename ? strdup(script->filename) : NULL;
    if (!script->directory)
        return err_errno(err, -errno, "cannot find the script %s", path);
    dirname(script->directory);
    return 0;
}

/* Code that is no file is called script.py and lives, for whoever looks at __file__, in the
 * workspace. */
static int code_take(struct script *script, const struct ptc_run_options *options, struct err *err)
{
    script->code = options->code;
    script->code_length = options->code_length ? options->code_length : strlen(options->code);
    if (script->code_length > SCRIPT_BYTES_MAX)
        return err_set(err, -EINVAL, "the code is larger than %u MiB", SCRIPT_BYTES_MAX >> 20);
    if (!utf8_valid(script->code, script->code_length))
        return err_set(err, -EINVAL, "the code is not valid UTF-8");
    script->filename =
        str_format("%s/script.py", strcmp(script->workspace, "/") ? script->workspace : "");
    return script->filename ? 0 : err_errno(err, -ENOMEM, "the code");
}

static bool is_blank(const struct script *script)
{
    for (size_t i = 0; i < script->code_length; i++)
        if (!isspace((unsigned char)script->code[i]))
            return false;
    return true;
}

/* Where the run works, in the order: an open directory, a session's, the workspace. */
static int workspace_take(struct script *script, const ptc_host *host, const struct policy *policy,
                          const struct ptc_run_options *options, struct err *err)
{
    char link[64];

    if (options->workspace_fd >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", options->workspace_fd);
        script->workspace = realpath(link, NULL);
        return script->workspace ? 0 : err_errno(err, -errno, "workspace_fd");
    }
    if (policy->session && policy->workspace)
        return err_set(err, -EINVAL, "session and workspace cannot both be given");
    if (policy->session)
        return session_dir_open(host->sessions_dir, policy->session, &script->workspace, err);
    return workspace_choose_here(policy->workspace, &script->workspace, err);
}

static int tool_unknown(const struct script *script, const char *name, struct err *err)
{
    _cleanup_buf_ struct buf names = BUF_INIT(0);

    if (toolset_append_names(&names, &script->tools) < 0)
        return err_errno(err, -ENOMEM, "tools");
    return err_set(err, -EINVAL, "there is no tool '%.80s' in this run; there are: %.*s", name,
                   (int)names.length, (const char *)names.data);
}

static int tool_take(struct script *script, const struct ptc_run_options *options, struct err *err)
{
    const char *args = options->tool_args_json ? options->tool_args_json : "{}";

    script->tool_args = json_parse(args, strlen(args), JSON_DEPTH_MAX, err);
    if (!script->tool_args)
        return err_context(err, "the arguments of %s", options->tool);
    if (!json_is_object(script->tool_args))
        return err_set(err, -EINVAL, "the arguments of %s must be a JSON object, not %s",
                       options->tool, json_type_name(script->tool_args));
    script->tool = toolset_find(&script->tools, options->tool);
    if (script->tool)
        return 0;
    return tool_unknown(script, options->tool, err);
}

static int script_load(struct script *script, const ptc_host *host, const ptc_settings *settings,
                       const struct ptc_run_options *options, struct err *err)
{
    int r;

    if (!!options->code + !!options->path + !!options->tool != 1)
        return err_set(err, -EINVAL, "exactly one of code, path and tool must be given");
    r = workspace_take(script, host, &settings->policy, options, err);
    if (r == 0)
        r = settings_select_tools(&settings->policy, &host->core.tools, &script->tools, err);
    if (r < 0)
        return r;
    if (options->tool)
        return tool_take(script, options, err);
    return options->path ? file_read(script, options->path, err) : code_take(script, options, err);
}

static ptc_run_handle *handle_new(ptc_host *host, const struct ptc_run_options *options)
{
    ptc_run_handle *handle = calloc(1, sizeof *handle);

    if (!handle)
        return NULL;
    handle->spare = result_spare();
    if (!handle->spare) {
        free(handle);
        return NULL;
    }
    handle->output = options->output;
    handle->event = options->event;
    handle->policy = options->policy;
    handle->user = options->user;
    handle->host = host;
    handle->next = host->handles;
    host->handles = handle;
    return handle;
}

static void handle_unlink(ptc_run_handle *handle)
{
    ptc_run_handle **link = &handle->host->handles;

    loop_disarm(&handle->host->core.loop, &handle->refused);
    while (*link != handle)
        link = &(*link)->next;
    *link = handle->next;
    handle->host = NULL;
}

/* In a forked child the run is the parent's: not a signal, not a byte. */
void handle_detach(ptc_run_handle *handle)
{
    if (handle->run && !host_is_foreign(handle->host, NULL)) {
        run_release(handle->run);
        ptc_run_result(handle);
    }
    handle->run = NULL;
    handle_unlink(handle);
}

/* ---- from the core's callbacks to the embedder's ---- */

static void event_forward(void *owner, const struct run_event *inner)
{
    ptc_run_handle *handle = owner;
    struct ptc_event event = {
        .struct_size = sizeof event,
        .type = (int)inner->type,
        .run = handle,
        .stream = inner->stream,
        .ok = inner->ok,
        .call = inner->call,
        .duration_us = inner->duration_ns / 1000,
        .tool = inner->tool,
        .data = inner->data,
        .length = inner->length,
    };

    /* Copied: the first of them may free the run, and the handle with it. */
    ptc_output_fn output = handle->output;
    ptc_event_fn fn = handle->event;
    const struct run *run = handle->run;
    void *user = handle->user;

    if (inner->type == RUN_EVENT_OUTPUT && output)
        output(user, inner->stream, inner->data, inner->length);
    if (fn && (!run || run->event))
        fn(user, &event);
}

static enum run_decision policy_forward(void *owner, struct call *call)
{
    ptc_run_handle *handle = owner;

    switch (handle->policy((ptc_call *)call, handle->user)) {
    case PTC_ALLOW:
        return RUN_ALLOW;
    case PTC_ASK:
        return RUN_ASK;
    default:
        return RUN_DENY;
    }
}

/* ---- starting ---- */

/* Not from inside ptc_run_start: the owner has no handle yet. */
static void refusal_tell(struct loop_timer *timer)
{
    event_forward(timer->user, &(struct run_event){.type = RUN_EVENT_ENDED});
}

static int refusal_tell_later(ptc_run_handle *handle)
{
    if (!handle->result)
        return -ENOMEM;
    return loop_arm(&handle->host->core.loop, &handle->refused, clock_now_ns());
}

/* The request was fine, the machine is not: a result too, which says so. */
static int start_refused(ptc_run_handle *handle, const struct err *err)
{
    _cleanup_free_ char *text = str_format("The sandbox is not available: %s. Nothing was run; use "
                                           "the ordinary tools one by one instead.",
                                           err->text);

    handle->result = text ? result_wrap(result_refusal("sandbox_unavailable", text)) : NULL;
    return refusal_tell_later(handle);
}

static int handle_start(ptc_run_handle *handle, const struct script *script,
                        const ptc_settings *settings, const struct ptc_run_options *options,
                        struct err *err)
{
    struct run_request request = {
        .code = script->code,
        .code_length = script->code_length,
        .filename = script->filename,
        .from_file = options->path != NULL,
        .argv0 = options->path    ? options->path
                 : options->argv0 ? options->argv0
                                  : "script.py",
        .argv = options->argv,
        .argc = options->argc,
        .script_directory = script->directory,
        .workspace = script->workspace,
        .policy = &settings->policy,
        .tools = &script->tools,
        .tool = script->tool,
        .tool_args = script->tool_args,
        .event = handle->output || handle->event ? event_forward : NULL,
        .decide = handle->policy ? policy_forward : NULL,
        .owner = handle,
        .user = handle->user,
    };
    struct core *core = &handle->host->core;

    handle->refused = (struct loop_timer){.fn = refusal_tell, .user = handle};
    if (!script->tool && is_blank(script)) { /* a model sent it, and a model reads the answer */
        handle->result = result_wrap(result_refusal(
            "error", "No code to run: the script is empty. Send Python source as the code."));
        return refusal_tell_later(handle);
    }
    if (!core->child_path)
        core->child_path = child_path_find(NULL, err);
    if (core->child_path)
        handle->run = run_start(core, &request, err);
    return handle->run ? 0 : start_refused(handle, err);
}

ptc_run_handle *ptc_run_start(ptc_host *host, const struct ptc_run_options *given,
                              struct ptc_error *error)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    const ptc_settings *settings;
    ptc_run_handle *handle;
    struct script script = {.file = BUF_INIT(SCRIPT_BYTES_MAX)};
    struct err err = ERR_INIT;
    int r;

    if (host_is_foreign(host, error))
        return NULL;
    r = given ? struct_size_read(&options, sizeof options, given, "struct ptc_run_options", &err)
              : err_set(&err, -EINVAL, "a run needs options");
    handle = r == 0 ? handle_new(host, &options) : NULL;
    if (r == 0 && !handle)
        r = err_set(&err, -ENOMEM, "no memory for a run");
    settings = options.settings ? options.settings : host->settings;
    if (r == 0)
        r = script_load(&script, host, settings, &options, &err);
    if (r == 0)
        r = handle_start(handle, &script, settings, &options, &err);
    script_deinit(&script);
    if (r < 0) {
        if (!err.code)
            err_errno(&err, r, "the run cannot be started");
        settings_report(error, &err);
        ptc_run_free(handle);
        return NULL;
    }
    return handle;
}

/* The result is made when it is first wanted. It is never missing once the run has ended, or whoever
 * waits for it would wait for ever. */
const ptc_result *ptc_run_result(const ptc_run_handle *handle)
{
    ptc_run_handle *run = (ptc_run_handle *)handle;

    if (run->result || !run->run || !run_has_ended(run->run))
        return run->result;
    run->result = result_wrap(result_make(run->run));
    if (!run->result) {
        run->result = run->spare;
        run->spare = NULL;
    }
    return run->result;
}

void ptc_run_free(ptc_run_handle *handle)
{
    if (!handle)
        return;
    if (handle->run && !host_is_foreign(handle->host, NULL))
        run_release(handle->run);
    if (handle->host)
        handle_unlink(handle);
    ptc_result_free(handle->result);
    ptc_result_free(handle->spare);
    free(handle);
}

void ptc_run_cancel(ptc_run_handle *handle, const char *reason)
{
    if (handle->run)
        run_cancel(handle->run, reason);
}

ptc_result *ptc_run(ptc_host *host, const struct ptc_run_options *options, struct ptc_error *error)
{
    ptc_run_handle *handle;
    ptc_result *result;
    int r = 0;

    if (host->core.dispatching) {
        struct err err = ERR_INIT;

        err_set(&err, -EBUSY,
                "ptc_run blocks and cannot be called from a callback; ptc_run_start can");
        settings_report(error, &err);
        return NULL;
    }
    handle = ptc_run_start(host, options, error);
    if (!handle)
        return NULL;
    while (r == 0 && handle->run && !run_has_ended(handle->run))
        r = core_wait(&host->core);
    if (r < 0) { /* nobody would ever see its end */
        struct err err = ERR_INIT;

        err_errno(&err, r, "the loop cannot wait");
        settings_report(error, &err);
    }
    ptc_run_result(handle);
    result = handle->result;
    handle->result = NULL;
    ptc_run_free(handle);
    return result;
}

ptc_result *ptc_tool_call(ptc_host *host, const ptc_settings *settings, const char *tool,
                          const char *args_json, struct ptc_error *error)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;

    options.tool = tool;
    options.tool_args_json = args_json;
    options.settings = settings;
    return ptc_run(host, &options, error);
}
