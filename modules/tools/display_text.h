/* SPDX-License-Identifier: MIT
 *
 * Recognises text that was copied from read_file's numbered display.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* At least two lines that are not empty, 60 % of them "N|..." with N rising by one. */
bool display_text_has_gutter(const char *text, size_t length);
