/* SPDX-License-Identifier: MIT
 *
 * Shared by the files that make schemas.
 */
#pragma once

#include "spec/spec.h"

/* With the hidden parameters when the schema is for our own processes instead of a model. */
json_t *schema_parameters(const struct tool_spec *spec, bool with_hidden);
