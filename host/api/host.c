/* SPDX-License-Identifier: MIT
 *
 * ptc_host: making, driving, freeing; tools of the embedder's own.
 */
#include "api/host.h"

#include "api/child_path.h"
#include "api/struct_size.h"
#include "base/err.h"
#include "base/str.h"
#include "run/call.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FREE_WAIT_MS 2000

static void *report(struct ptc_error *error, const struct err *err)
{
    settings_report(error, err);
    return NULL;
}

ptc_host *ptc_host_new(const struct ptc_host_options *given, struct ptc_error *error)
{
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    struct log log = {0};
    _cleanup_free_ char *child_path = NULL;
    struct err err = ERR_INIT;
    ptc_host *host;
    int r;

    if (given &&
        struct_size_read(&options, sizeof options, given, "struct ptc_host_options", &err) < 0)
        return report(error, &err);
    if (options.child_path) { /* else it is looked for when a run needs it */
        child_path = child_path_find(options.child_path, &err);
        if (!child_path)
            return report(error, &err);
    }
    host = calloc(1, sizeof *host);
    if (!host) {
        err_set(&err, -ENOMEM, "no memory");
        return report(error, &err);
    }
    log = (struct log){(log_fn)options.log, options.log_user, (enum log_level)options.log_level};
    host->settings =
        options.settings ? ptc_settings_copy(options.settings, error) : ptc_settings_new(error);
    host->sessions_dir = options.sessions_dir ? strdup(options.sessions_dir) : NULL;
    r = host->settings ? core_init(&host->core, child_path, &log) : -ENOMEM;
    if (r < 0) {
        err_errno(&err, r, "cannot make a host");
        ptc_settings_free(host->settings);
        free(host->sessions_dir);
        free(host);
        return report(error, &err);
    }
    return host;
}

void ptc_host_free(ptc_host *host)
{
    if (!host)
        return;
    while (host->handles)
        handle_detach(host->handles);
    core_deinit(&host->core, FREE_WAIT_MS);
    ptc_settings_free(host->settings);
    free(host->sessions_dir);
    free(host);
}

bool host_is_foreign(const ptc_host *host, struct ptc_error *error)
{
    struct err err = ERR_INIT;

    if (host->core.owner == getpid())
        return false;
    err_set(&err, -EPERM, "this host was made by another process; a forked child needs its own");
    settings_report(error, &err);
    if (error)
        error->code = PTC_E_STATE;
    return true;
}

void ptc_host_cancel_all(ptc_host *host)
{
    atomic_store(&host->core.mailbox->cancel_all, true);
    mailbox_wake(host->core.mailbox);
}

/* ---- the loop ---- */

int ptc_host_fd(const ptc_host *host)
{
    return host->core.loop.epoll_fd;
}

int ptc_host_timeout_ms(const ptc_host *host)
{
    return loop_timeout_ms(&host->core.loop);
}

int ptc_host_dispatch(ptc_host *host, uint64_t budget_us)
{
    int r;

    if (host_is_foreign(host, NULL))
        return PTC_E_STATE;
    r = core_dispatch(&host->core, 0, budget_us * 1000);
    return r == -EBUSY ? PTC_E_STATE : r < 0 ? PTC_E_SYSTEM : r;
}

/* ---- tools ---- */

int ptc_host_add_tool(ptc_host *host, const char *spec_json, ptc_tool_fn fn, void *user,
                      void (*destroy)(void *user), struct ptc_error *error)
{
    struct err err = ERR_INIT;
    _cleanup_json_ json_t *json = json_parse(spec_json, strlen(spec_json), JSON_DEPTH_MAX, &err);
    struct tool_spec *spec = json ? spec_from_json(json, &err) : NULL;
    int r;

    if (!spec) {
        err_context(&err, "tool description");
        return settings_report(error, &err);
    }
    spec->place = SPEC_BROKER; /* its handler lives in this process */
    r = core_add_tool(&host->core, spec, (tool_handler_fn)fn, user, destroy);
    if (r < 0) {
        err_set(&err, r == -EEXIST ? -EINVAL : r, "a tool named '%s' exists already", spec->name);
        spec_free(spec);
        return settings_report(error, &err);
    }
    return PTC_OK;
}

const char *ptc_call_tool(const ptc_call *call)
{
    return ((const struct call *)call)->tool;
}

const char *ptc_call_args_json(const ptc_call *call, size_t *ret_length)
{
    const struct call *inner = (const struct call *)call;

    if (ret_length)
        *ret_length = inner->args_length;
    return inner->args_text;
}

int ptc_call_reply(ptc_call *call, const char *result_json, size_t length)
{
    int r = call_answer((struct call *)call, result_json, length);

    return r == -ENOMEM ? PTC_E_NO_MEMORY : r < 0 ? PTC_E_STATE : PTC_OK;
}

int ptc_call_decide(ptc_call *call, int decision, const char *reason)
{
    int r;

    if (decision != PTC_ALLOW && decision != PTC_DENY)
        return PTC_E_INVALID;
    r = call_decide((struct call *)call, decision == PTC_ALLOW, reason);
    return r == -ENOMEM ? PTC_E_NO_MEMORY : r < 0 ? PTC_E_STATE : PTC_OK;
}

uint64_t ptc_call_number(const ptc_call *call)
{
    return ((const struct call *)call)->id;
}

void *ptc_call_run_user(const ptc_call *call)
{
    return ((const struct call *)call)->run_user;
}

const char *ptc_version(void)
{
    return PTC_VERSION_TEXT;
}

void ptc_free(void *pointer)
{
    free(pointer);
}
