/* SPDX-License-Identifier: MIT
 *
 * ptc_run and its background form: from the caller's struct to a run of the core.
 */
#include "api/child_path.h"
#include "api/host.h"
#include "api/workspace.h"
#include "base/buf.h"
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
    buf_deinit(&script->file);
    free(script->filename);
    free(script->directory);
    free(script->workspace);
    toolset_deinit(&script->tools);
}

static struct ptc_run_options options_read(const struct ptc_run_options *given)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    size_t size = given->struct_size < sizeof options ? given->struct_size : sizeof options;

    memcpy(&options, given, size);
    return options;
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

static int script_load(struct script *script, const ptc_host *host, const ptc_settings *settings,
                       const struct ptc_run_options *options, struct err *err)
{
    int r;

    if (!options->code == !options->path)
        return err_set(err, -EINVAL, "exactly one of code and path must be given");
    r = workspace_choose_here(settings->policy.workspace, &script->workspace, err);
    if (r == 0)
        r = options->path ? file_read(script, options->path, err) : code_take(script, options, err);
    if (r == 0)
        r = settings_select_tools(&settings->policy, &host->core.tools, &script->tools, err);
    return r;
}

static ptc_run_handle *handle_new(ptc_host *host, struct ptc_error *error)
{
    ptc_run_handle *handle = calloc(1, sizeof *handle);
    struct err err = ERR_INIT;

    if (!handle) {
        err_set(&err, -ENOMEM, "no memory");
        settings_report(error, &err);
        return NULL;
    }
    handle->host = host;
    return handle;
}

/* The request was fine, the machine is not: a result too, which says so. */
static int start_refused(ptc_run_handle *handle, const struct err *err)
{
    _cleanup_free_ char *text = str_format("The sandbox is not available: %s. Nothing was run; use "
                                           "the ordinary tools one by one instead.",
                                           err->text);

    handle->result = text ? result_wrap(result_refusal("sandbox_unavailable", text)) : NULL;
    return handle->result ? 0 : -ENOMEM;
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
        .output = (run_output_fn)options->output,
        .user = options->user,
    };

    if (is_blank(
            script)) { /* a result, not an error: a model sent it, and a model reads the answer */
        handle->result = result_wrap(result_refusal(
            "error", "No code to run: the script is empty. Send Python source as the code."));
        return handle->result ? 0 : err_errno(err, -ENOMEM, "no result");
    }
    if (!handle->host->core.child_path)
        handle->host->core.child_path = child_path_find(NULL, err);
    if (handle->host->core.child_path)
        handle->run = run_start(&handle->host->core, &request, err);
    return handle->run ? 0 : start_refused(handle, err);
}

ptc_run_handle *ptc_run_start(ptc_host *host, const struct ptc_run_options *given,
                              struct ptc_error *error)
{
    struct ptc_run_options options = options_read(given);
    const ptc_settings *settings = options.settings ? options.settings : host->settings;
    ptc_run_handle *handle = handle_new(host, error);
    struct script script = {.file = BUF_INIT(SCRIPT_BYTES_MAX)};
    struct err err = ERR_INIT;
    int r;

    if (!handle)
        return NULL;
    r = script_load(&script, host, settings, &options, &err);
    if (r == 0)
        r = handle_start(handle, &script, settings, &options, &err);
    script_deinit(&script);
    if (r < 0) {
        settings_report(error, &err);
        free(handle);
        return NULL;
    }
    return handle;
}

const ptc_result *ptc_run_result(const ptc_run_handle *handle)
{
    ptc_run_handle *run = (ptc_run_handle *)handle; /* the result is made when it is first wanted */

    if (!run->result && run->run && run_has_ended(run->run))
        run->result = result_wrap(result_make(run->run));
    return run->result;
}

void ptc_run_free(ptc_run_handle *handle)
{
    if (!handle)
        return;
    if (handle->run)
        run_release(handle->run);
    ptc_result_free(handle->result);
    free(handle);
}

void ptc_run_cancel(ptc_run_handle *handle, const char *reason)
{
    if (handle->run)
        run_cancel(handle->run, reason);
}

ptc_result *ptc_run(ptc_host *host, const struct ptc_run_options *options, struct ptc_error *error)
{
    ptc_run_handle *handle = ptc_run_start(host, options, error);
    ptc_result *result;

    if (!handle)
        return NULL;
    while (handle->run && !run_has_ended(handle->run))
        if (core_wait(&host->core) < 0)
            break;
    ptc_run_result(handle);
    result = handle->result;
    handle->result = NULL;
    ptc_run_free(handle);
    return result;
}
