/* SPDX-License-Identifier: MIT
 *
 * The program ptc-host: parses the command line and hands it to a command. It knows the library
 * only by its public header.
 */
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "include/ptc_host.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Started with a standard stream closed, the next file that is opened would become it. */
static void open_missing_streams(void)
{
    int fd = open("/dev/null", O_RDWR);

    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = open("/dev/null", O_RDWR);
    if (fd > STDERR_FILENO)
        close(fd);
}

static int dispatch(const struct cli_options *options)
{
    if (options->help)
        return cmd_help(options);
    if (options->version) {
        printf("ptc-host %s\n", ptc_version());
        return fflush(stdout) == 0 ? 0 : CLI_EXIT_OUTPUT;
    }
    return command_find(options->command ? options->command : "run")->run(options);
}

int main(int argc, char **argv)
{
    struct cli_options options;

    open_missing_streams();
    signal(SIGXFSZ, SIG_IGN); /* so that a limit on file sizes is an error of write too */
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of write, not our death */
    int exit_code = options_parse(&options, argc, argv, command_is_name) < 0
                        ? output_fail(&options, CLI_EXIT_USAGE, options.problem)
                        : dispatch(&options);
    options_deinit(&options);
    return exit_code;
}
