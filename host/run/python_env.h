/* SPDX-License-Identifier: MIT
 *
 * What a zygote is told about Python and what its environment is: built from nothing, by exact
 * names, so that nothing of the host's can leak into a run.
 */
#pragma once

#include "base/json.h"
#include "run/policy.h"

/* The SETUP text (modules/child/setup.h). New reference or NULL. */
json_t *python_env_setup(const struct policy *policy);

/* What tells zygotes apart: two policies with equal keys can share one. malloc'd, NULL: no memory.
 */
char *python_env_key(const struct policy *policy);

/* NULL-terminated, static strings: the environment that ptc-child is exec'd with. */
const char *const *python_env_environ(void);

/* Third-party modules that a run of this policy can import, at most max names, sorted, as "a, b,
 * c". For hints. NULL when there are none. malloc'd. */
char *python_env_installed(const struct policy *policy, size_t max);
