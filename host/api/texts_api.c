/* SPDX-License-Identifier: MIT
 *
 * Texts for agents, made from the specs and the settings.
 */
#include "api/host.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "spec/pystub.h"
#include "spec/schema.h"

#include <errno.h>

static const ptc_settings *settings_of(const ptc_host *host, const ptc_settings *settings)
{
    return settings ? settings : host->settings;
}

static int format_parse(const char *text, enum schema_format *ret_format, struct err *err)
{
    static const char *const names[] = {"openai", "anthropic", "mcp"};

    for (int i = 0; i < 3; i++) {
        if (!str_equal(text, names[i]))
            continue;
        *ret_format = (enum schema_format)i;
        return 0;
    }
    return err_set(err, -EINVAL, "unknown schema format '%s': openai, anthropic or mcp",
                   text ? text : "");
}

static char *finish(struct buf *text, int r, struct err *err, struct ptc_error *error)
{
    char *result = r == 0 ? buf_steal_text(text, NULL) : NULL;

    if (!result) {
        if (!err->code)
            err_errno(err, r ? r : -ENOMEM, "the text cannot be made");
        settings_report(error, err);
    }
    return result;
}

char *ptc_schema_json(const ptc_host *host, const ptc_settings *given, const char *format_text,
                      struct ptc_error *error)
{
    const struct policy *policy = &settings_of(host, given)->policy;
    struct schema_limits limits = {policy->timeout_ms, policy->output_bytes, policy->max_tool_calls,
                                   policy->no_tool_calls};
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    _cleanup_json_ json_t *schema = NULL;
    struct toolset tools = {0};
    enum schema_format format = SCHEMA_OPENAI;
    struct err err = ERR_INIT;
    int r = format_parse(format_text, &format, &err);

    if (r == 0)
        r = settings_select_tools(policy, &host->core.tools, &tools, &err);
    if (r == 0) {
        schema = schema_execute_code(&tools, &limits, format);
        r = schema ? json_append(&text, schema) : -ENOMEM;
    }
    toolset_deinit(&tools);
    return finish(&text, r, &err, error);
}

char *ptc_stub_text(const ptc_host *host, const ptc_settings *given, struct ptc_error *error)
{
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    struct toolset tools = {0};
    struct err err = ERR_INIT;
    int r =
        settings_select_tools(&settings_of(host, given)->policy, &host->core.tools, &tools, &err);

    if (r == 0)
        r = pystub_append_module(&text, &tools);
    toolset_deinit(&tools);
    return finish(&text, r, &err, error);
}
