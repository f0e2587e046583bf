/* SPDX-License-Identifier: MIT
 *
 * The command table: what the dispatcher and the help texts are made from.
 */
#include "cli/commands.h"

#include "cli/options.h"

#include <string.h>

static const struct cli_command command_table[] = {
    {"run", "Run a script (what happens without a command).",
     "ptc-host [OPTIONS] SCRIPT [ARGS...]      a file\n"
     "ptc-host [OPTIONS] -c CODE [-- ARGS...]  this text\n"
     "ptc-host [OPTIONS] - [ARGS...]           standard input",
     "Options stand before SCRIPT; what follows it is the script's sys.argv. Without\n"
     "SCRIPT and -c, a script is read from standard input when that is no terminal.\n",
     0, cmd_run},
    {"tool", "Make one tool call, without a script.", "ptc-host tool [OPTIONS] NAME [JSON]",
     "The arguments are one JSON object, or - for standard input. The tool's result is\n"
     "printed as JSON; the exit code is 1 when it says error:\n"
     "  ptc-host tool read_file '{\"path\": \"README.md\", \"limit\": 5}'\n"
     "  ptc-host tool terminal '{\"command\": \"git status --short\"}' | jq -r .output\n",
     0, cmd_tool},
    {"rpc", "Serve a program in any language: JSON lines on stdin and stdout.",
     "ptc-host rpc [OPTIONS]",
     "One JSON object a line, both ways; docs/rpc.md has every message, and clients in\n"
     "Python and Node to start from. The options are the defaults of every run:\n"
     "  printf '%s\\n' '{\"id\": 1, \"method\": \"run\", \"code\": \"print(6 * 7)\"}' \\\n"
     "      '{\"method\": \"shutdown\", \"finish\": true}' | ptc-host rpc\n",
     0, cmd_rpc},
    {"schema", "Print the execute_code tool definition for a model.",
     "ptc-host schema [--format FORMAT] [OPTIONS]",
     "The definition names the tools and limits that the options give:\n"
     "  ptc-host schema --format anthropic --tools read_file,terminal --timeout 60\n",
     CLI_FOR_SCHEMA, cmd_schema},
    {"stubs", "Print hermes_tools.pyi for editors and type checkers.", "ptc-host stubs [OPTIONS]",
     "  ptc-host stubs > hermes_tools.pyi\n"
     "  ptc-host stubs --tools read_file,terminal\n",
     0, cmd_stubs},
    {"bench", "Measure cold start, warm runs and tool calls on this machine.",
     "ptc-host bench [--rounds N] [--python FILE] [--json] [OPTIONS]",
     "Measures in interleaved rounds, against 'python3 -I -S -c pass' and against a\n"
     "bare ping-pong of two processes over a socketpair. p50 is the median of the\n"
     "rounds' medians, p99 that of all samples.\n",
     CLI_FOR_BENCH, cmd_bench},
    {"help", "Show the help of a command.", "ptc-host help [COMMAND]", "", 0, cmd_help},
    {"bench-echo", NULL, "", "", 0, cmd_bench_echo},
};

#define COMMAND_COUNT (sizeof command_table / sizeof command_table[0])

const struct cli_command *command_at(size_t index)
{
    return index < COMMAND_COUNT ? &command_table[index] : NULL;
}

const struct cli_command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(command_table[i].name, name) == 0)
            return &command_table[i];
    return NULL;
}

bool command_is_name(const char *name)
{
    return command_find(name) != NULL;
}
