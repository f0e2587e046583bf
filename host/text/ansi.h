/* SPDX-License-Identifier: MIT
 *
 * Removes terminal escape sequences from UTF-8 text (the table of docs/tools.md, "ANSI strip").
 */
#pragma once

#include "base/buf.h"

/* Strips in place; returns the new length. Unterminated OSC/DCS at the end lose only their two-byte
 * introducer. \n \t \r and bare control characters stay. */
size_t ansi_strip(char *text, size_t length);
