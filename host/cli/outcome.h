/* SPDX-License-Identifier: MIT
 *
 * From a result to an exit code and to what a person has to be told.
 */
#pragma once

#include "include/ptc_host.h"

#include <stdbool.h>

/* exit_code is -1 when the result has none. */
int outcome_exit_code(const char *status, int exit_code);

/* Whether the failure is not one that the script itself has already told on its stderr. */
bool outcome_is_ours(const char *status, int exit_code);
