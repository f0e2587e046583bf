/* SPDX-License-Identifier: MIT
 *
 * The shortest program that runs a script: cc embed_sync.c $(pkg-config --cflags --libs ptchost)
 * Its argument is the script; without one it runs the line below. Exit code: the script's.
 */
#include <ptc_host.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_host *host = ptc_host_new(NULL, &error);
    ptc_result *result;
    int exit_code;

    options.code = argc > 1 ? argv[1]
                            : "from hermes_tools import terminal\n"
                              "print(terminal('echo hello')['output'], end='')";
    result = host ? ptc_run(host, &options, &error) : NULL;
    if (!result) { /* nothing was run; a script that fails has a result */
        fprintf(stderr, "%s\n", error.message);
        ptc_host_free(host);
        return 1;
    }
    printf("%s: %s", ptc_result_status(result), ptc_result_output(result, NULL));
    exit_code = ptc_result_exit_code(result);
    ptc_result_free(result);
    ptc_host_free(host);
    return exit_code;
}
