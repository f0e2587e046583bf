/* SPDX-License-Identifier: MIT
 *
 * A program that embeds the library: one tool of its own, one run. Its argument, if there is one, is
 * the helper program. Prints the tool's answer and which program the script ran in.
 */
#include <ptc_host.h>
#include <stdio.h>
#include <string.h>

static void greet(ptc_call *call, void *user)
{
    (void)user;
    ptc_call_reply(call, "\"hello\"", 7);
}

static int fail(const char *what, const struct ptc_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    return 1;
}

int main(int argc, char **argv)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct ptc_host_options host_options = PTC_HOST_OPTIONS_INIT;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    char version[32];
    ptc_host *host;
    ptc_result *result;

    snprintf(version, sizeof version, "%d.%d.%d", PTC_VERSION_MAJOR, PTC_VERSION_MINOR,
             PTC_VERSION_PATCH);
    if (strcmp(version, ptc_version()) != 0)
        return fail("the header's version is not the library's", &error);
    host_options.child_path = argc > 1 ? argv[1] : NULL;
    host = ptc_host_new(&host_options, &error);
    if (!host)
        return fail("no host", &error);
    if (ptc_host_add_tool(host,
                          "{\"name\": \"greet\", \"description\": \"Greets.\","
                          " \"parameters\": {\"type\": \"object\", \"properties\": {}}}",
                          greet, NULL, NULL, &error) < 0)
        return fail("no tool", &error);
    options.code = "import os\n"
                   "from hermes_tools import greet\n"
                   "print(greet()['result'], os.readlink('/proc/self/exe'))\n";
    result = ptc_run(host, &options, &error);
    if (!result)
        return fail("no result", &error);
    if (strcmp(ptc_result_status(result), "success") != 0)
        fprintf(stderr, "%s\n", ptc_result_json(result, NULL));
    fputs(ptc_result_output(result, NULL), stdout);
    ptc_result_free(result);
    ptc_host_free(host);
    return 0;
}
