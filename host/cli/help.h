/* SPDX-License-Identifier: MIT
 *
 * The help texts, made from the option and command tables.
 */
#pragma once

#include <stdio.h>

struct cli_command;

void help_program(FILE *file);
void help_command(FILE *file, const struct cli_command *command);
void help_short(void); /* to standard error: what to type */
