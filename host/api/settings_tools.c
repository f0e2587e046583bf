/* SPDX-License-Identifier: MIT
 *
 * Which tools a run gets. What the operator named wins; without a word from him the profile
 * decides, and the embedder's own tools are on.
 */
#include "api/settings.h"

#include "base/err.h"
#include "spec/toolset.h"

#include <errno.h>

static int add_defaults(const struct policy *policy, const struct tool_spec *const *specs,
                        size_t count, struct toolset *set)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < count; i++)
        if (policy_tool_by_default(policy, specs[i]->name))
            r = toolset_add(set, specs[i]);
    return r;
}

int settings_select_tools(const struct policy *policy, const struct toolset *extra,
                          struct toolset *ret_set, struct err *err)
{
    int r = policy->tools ? toolset_select(ret_set, policy->tools, extra, err) : 0;
    if (r < 0)
        err_context(err, "tools");
    if (policy->tools)
        return r;

    size_t count;
    const struct tool_spec *const *builtin = toolset_builtin(&count);
    r = add_defaults(policy, builtin, count, ret_set);
    for (size_t i = 0; r == 0 && extra && i < extra->count; i++)
        r = toolset_add(ret_set, extra->specs[i]);
    return r < 0 ? err_errno(err, r, "cannot select the tools") : 0;
}
