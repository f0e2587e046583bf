/* SPDX-License-Identifier: MIT
 *
 * The commands, one file each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cli_options;

struct cli_command {
    const char *name;
    const char *summary;                           /* NULL: not shown */
    const char *usage;                             /* lines of "Usage:" */
    const char *about;                             /* paragraphs and examples */
    int options;                                   /* CLI_FOR_*: which options of its own it has */
    int (*run)(const struct cli_options *options); /* returns the exit code */
};

const struct cli_command *command_at(size_t index); /* NULL at the end */
const struct cli_command *command_find(const char *name);
bool command_is_name(const char *name);

int cmd_run(const struct cli_options *options);
int cmd_tool(const struct cli_options *options);
int cmd_rpc(const struct cli_options *options);
int cmd_schema(const struct cli_options *options);
int cmd_stubs(const struct cli_options *options);
int cmd_bench(const struct cli_options *options);
int cmd_bench_echo(const struct cli_options *options); /* the other side of bench's ping-pong */
int cmd_help(const struct cli_options *options);
