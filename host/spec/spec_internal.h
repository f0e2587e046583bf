/* SPDX-License-Identifier: MIT
 *
 * Shared by the files that read and write specs as JSON.
 */
#pragma once

#include "spec/spec.h"

/* With the hidden parameters when the schema is for our own processes instead of a model. */
json_t *schema_parameters(const struct tool_spec *spec, bool with_hidden);

/* Reads a JSON Schema object (NULL: no parameters) into spec->params and SPEC_OPEN. What is there
 * after an error is freed by spec_free. 0, -EINVAL, -ENOMEM. */
int spec_params_read(struct tool_spec *spec, const json_t *parameters, struct err *err);
void spec_params_free(struct tool_spec *spec);

/* what: "tool" or "parameter", for the message. */
int spec_name_check(const char *name, size_t length, const char *what, struct err *err);

/* A heap copy with every run of blanks and newlines as one blank; text may be NULL. NULL: no
 * memory. */
char *spec_one_line(const char *text);
