/* SPDX-License-Identifier: MIT
 *
 * One tool in Python's words: its def line and its docstring.
 */
#include "spec/pystub.h"

#include "base/buf.h"

#include <stdbool.h>
#include <string.h>

/* "'a'|'b'": a model reads the allowed words where it reads the type. */
static int choices_append(struct buf *buf, const struct spec_param *param)
{
    int r = 0;
    for (size_t i = 0; param->choices[i] && r == 0; i++)
        r = buf_append_format(buf, "%s'%s'", i > 0 ? "|" : "", param->choices[i]);
    return r < 0 || !param->nullable ? r : buf_append_text(buf, "|None");
}

static int param_append(struct buf *buf, const struct spec_param *param, bool for_model)
{
    int r = buf_append_format(buf, "%s: ", spec_param_python_name(param));
    if (r == 0 && for_model && param->choices)
        r = choices_append(buf, param);
    else if (r == 0)
        r = buf_append_text(buf, spec_python_type(param));
    if (r == 0 && !param->required)
        r = buf_append_text(buf, " = ");
    return r < 0 ? r : spec_python_default(buf, param);
}

/* "name(a: str, b: int = 1, **kwargs: Any)" */
static int call_append(struct buf *buf, const struct tool_spec *spec, bool for_model)
{
    const char *separator = "";
    int r = buf_append_format(buf, "%s(", spec_python_name(spec));

    for (size_t i = 0; i < spec->param_count && r == 0; i++) {
        if (spec->params[i].hidden && for_model)
            continue;
        r = buf_append_text(buf, separator);
        if (r == 0)
            r = param_append(buf, &spec->params[i], for_model);
        separator = ", ";
    }
    if (r == 0 && (spec->flags & SPEC_OPEN))
        r = buf_append_format(buf, "%s**kwargs: Any", separator);
    return r < 0 ? r : buf_append_text(buf, ")");
}

int pystub_append_signature(struct buf *buf, const struct tool_spec *spec)
{
    int r = call_append(buf, spec, false);
    return r < 0 ? r : buf_append_text(buf, " -> dict");
}

int pystub_append_short_signature(struct buf *buf, const struct tool_spec *spec)
{
    return call_append(buf, spec, true);
}

static int args_append(struct buf *buf, const struct tool_spec *spec)
{
    int r = spec->param_count > 0 ? buf_append_text(buf, "\n\nArgs:") : 0;

    for (size_t i = 0; i < spec->param_count && r == 0; i++) {
        const struct spec_param *param = &spec->params[i];
        r = buf_append_format(buf, "\n    %s: %s", spec_param_python_name(param),
                              param->doc ? param->doc : "");
    }
    return r;
}

static int returns_append(struct buf *buf, const struct tool_spec *spec)
{
    bool known = spec->result_doc && *spec->result_doc;
    int r = buf_append_text(buf, "\n\nReturns:\n    A dict");
    if (r == 0 && known)
        r = buf_append_format(buf, " with %s", spec->result_doc);
    if (r < 0)
        return r;
    if (spec->flags & SPEC_RAISES)
        return buf_append_text(buf,
                               ".\n\nRaises:\n    ToolError: when the tool answers with an error.");
    return buf_append_text(buf, ". After a failure: error (str).");
}

int pystub_append_doc(struct buf *buf, const struct tool_spec *spec)
{
    int r = buf_append_text(buf, spec->summary);
    if (r == 0)
        r = args_append(buf, spec);
    return r < 0 ? r : returns_append(buf, spec);
}
