/* SPDX-License-Identifier: MIT
 *
 * One sentence that helps after the common failures.
 */
#pragma once

#include "base/json.h"

struct run;

/* stderr_text: what the script wrote there. New string or NULL when there is nothing to say. */
json_t *hints_make(const struct run *run, const char *status, const char *output,
                   const char *stderr_text);
