/* SPDX-License-Identifier: MIT
 *
 * ptc-host help [COMMAND], and --help in any place.
 */
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"

#include <string.h>

static const char *topic_of(const struct cli_options *options)
{
    if (!options->command)
        return NULL;
    return strcmp(options->command, "help") == 0 ? options->topic : options->command;
}

int cmd_help(const struct cli_options *options)
{
    const char *topic = topic_of(options);
    const struct cli_command *command = topic ? command_find(topic) : NULL;

    if (topic && (!command || !command->summary)) {
        output_say("there is no command '%.60s'; 'ptc-host --help' lists them", topic);
        return CLI_EXIT_USAGE;
    }
    if (command)
        help_command(stdout, command);
    else
        help_program(stdout);
    return fflush(stdout) == 0 ? 0 : CLI_EXIT_OUTPUT;
}
