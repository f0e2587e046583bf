/* SPDX-License-Identifier: MIT
 *
 * A run's facts as the JSON that goes back: the reference's keys first, ours after them.
 */
#pragma once

#include "base/json.h"

struct run;

/* The ended run's result; new reference or NULL (no memory). */
json_t *result_make(const struct run *run);

/* A result for a script that was never started: {"status": status, "error": text, ...}. */
json_t *result_refusal(const char *status, const char *text);

/* "success", "error", "timeout", "interrupted", "protocol_error" or "sandbox_unavailable". */
const char *result_status(const struct run *run);
