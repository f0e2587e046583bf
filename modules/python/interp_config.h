/* SPDX-License-Identifier: MIT
 *
 * From our struct interp_config to CPython's PyConfig.
 */
#pragma once

#include "python/interp.h"

/* Pre-initialises (UTF-8 mode, C.UTF-8 for LC_CTYPE) and initialises the interpreter. */
PyStatus interp_config_start(const struct interp_config *config);
