/* SPDX-License-Identifier: MIT
 *
 * Writes BIND and RUN; modules/child/setup.h and run_message.h say how they are read.
 */
#include "run/run_setup.h"

#include "base/bytes.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"
#include "run/run.h"
#include "run/run_io.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define TMP_BYTES_DEFAULT (256ll << 20)
#define TMP_INODES        16384
#define OPEN_FILES        1024

static json_t *env_list(const struct policy *policy)
{
    json_t *list = json_array();

    for (size_t i = 0; i < policy->env.count; i++)
        json_add(&list, bytes_to_json(policy->env.items[i]));
    return list;
}

static json_t *bind_json(const struct run *run)
{
    const struct policy *policy = &run->policy;
    struct stat st = {0};
    json_t *limits;

    if (stat(run->workspace, &st) < 0)
        return NULL;
    limits = json_pack("{s:I, s:I, s:I, s:I, s:I}", "cpu_ms", (json_int_t)policy->cpu_ms,
                       "memory_bytes", (json_int_t)policy->memory_bytes, "processes",
                       (json_int_t)policy->processes, "file_bytes", (json_int_t)policy->file_bytes,
                       "open_files", (json_int_t)OPEN_FILES);
    return json_pack("{s:o, s:I, s:I, s:b, s:I, s:I, s:I, s:o, s:o}", "workspace",
                     bytes_to_json(run->workspace), "device", (json_int_t)st.st_dev, "inode",
                     (json_int_t)st.st_ino, "scratch_cwd", policy->profile == POLICY_STRICT,
                     "tmp_bytes", (json_int_t)TMP_BYTES_DEFAULT, "tmp_inodes",
                     (json_int_t)TMP_INODES, "output_bytes", (json_int_t)policy->output_bytes,
                     "env", env_list(policy), "limits", limits);
}

static int bind_send(struct run *run)
{
    _cleanup_json_ json_t *bind = bind_json(run);
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    _cleanup_fd_ int memfd = -1;
    int r = bind ? json_append(&text, bind) : -ENOENT;

    if (r < 0)
        return r;
    memfd = fd_memfd_text("ptc-bind", text.data, text.length);
    if (memfd < 0)
        return memfd;
    return run_io_send_init(run, CONTROL_BIND, 0, memfd);
}

static json_t *tool_list(const struct toolset *tools)
{
    json_t *list = json_array();

    for (size_t i = 0; i < tools->count; i++) {
        const struct tool_spec *spec = tools->specs[i];

        json_add(&list, toolset_builtin_find(spec->name) == spec ? json_string(spec->name)
                                                                 : spec_to_json(spec));
    }
    return list;
}

static bool is_inside(const char *path, const char *directory)
{
    size_t length = strlen(directory);

    return str_starts_with(path, directory) && (path[length] == '/' || path[length] == '\0');
}

/* The script's own directory, when the run may see it; in strict nothing of the workspace. */
static json_t *path_list(const struct run *run, const struct run_request *request)
{
    json_t *list = json_array();
    const char *directory = request->script_directory;

    if (run->policy.profile == POLICY_STRICT)
        return list;
    if (directory && !str_equal(directory, run->workspace) && is_inside(directory, run->workspace))
        json_add(&list, bytes_to_json(directory));
    json_add(&list, bytes_to_json(run->workspace));
    return list;
}

static json_t *run_json(const struct run *run, const struct run_request *request)
{
    json_t *argv = json_array();

    for (size_t i = 0; i < request->argc; i++)
        json_add(&argv, bytes_to_json(request->argv[i]));
    return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o}", "filename", bytes_to_json(request->filename),
                     "from_file", request->from_file, "argv0", bytes_to_json(request->argv0),
                     "argv", argv, "path", path_list(run, request), "tools",
                     tool_list(&run->dispatch.tools));
}

int run_setup_send(struct run *run, const struct run_request *request)
{
    _cleanup_json_ json_t *head = run->tool ? NULL : run_json(run, request);
    _cleanup_buf_ struct buf text = BUF_INIT(FRAME_BYTES_MAX);
    int r;

    if (run->tool)
        return bind_send(run);
    r = head ? json_append(&text, head) : -ENOMEM;
    if (r == 0)
        r = dispatch_send_run(&run->dispatch, (const char *)text.data, text.length, request->code,
                              request->code_length);
    return r < 0 ? r : bind_send(run);
}
