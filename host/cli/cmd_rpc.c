/* SPDX-License-Identifier: MIT
 *
 * ptc-host rpc: runs for a program in any language, as JSON lines on standard input and output.
 */
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/rpc.h"
#include "cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The protocol's own descriptors; whatever else would read or print is led away from it. */
static int streams_take(int *ret_in, int *ret_out)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    *ret_in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    *ret_out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int r = *ret_in < 0 || *ret_out < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
                    dup2(STDERR_FILENO, STDOUT_FILENO) < 0
                ? -errno
                : 0;
    if (null > STDERR_FILENO)
        close(null);
    return r;
}

/* An empty script now, so that the interpreter is there when the client's first one comes. What
 * becomes of it is of no interest: that one will say what is wrong. */
static ptc_run_handle *warm_up(const struct session *session)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    int folder = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
    ptc_run_handle *run;

    options.code = "pass";
    options.workspace_fd = folder;
    run = ptc_run_start(session->host, &options, NULL);
    if (folder >= 0)
        close(folder);
    return run;
}

static int serve(struct session *session, int in_fd, int out_fd, int signal_fd)
{
    struct rpc rpc = {.host = session->host,
                      .settings = session->settings,
                      .in_fd = in_fd,
                      .signal_fd = signal_fd};
    ptc_run_handle *warming = warm_up(session);
    int exit_code;

    rpc_in_init(&rpc.in, RPC_LINE_BYTES_MAX);
    rpc_out_init(&rpc.out, out_fd);
    exit_code = rpc_loop(&rpc);
    rpc_runs_free(&rpc);
    ptc_run_free(warming);
    free(rpc.shutdown_id);
    rpc_in_deinit(&rpc.in);
    rpc_out_deinit(&rpc.out);
    return exit_code;
}

int cmd_rpc(const struct cli_options *options)
{
    struct interrupt interrupt = {.fd = -1};
    struct session session;
    int in_fd = -1, out_fd = -1;
    int exit_code = session_init_warm(&session, options);

    if (exit_code == 0 && streams_take(&in_fd, &out_fd) < 0)
        exit_code = output_fail(options, 1, "cannot take standard input and output");
    if (exit_code == 0 && interrupt_open(&interrupt) < 0)
        exit_code = output_fail(options, 1, "cannot wait for signals");
    if (exit_code == 0)
        exit_code = session_open_host(&session);
    if (exit_code == 0)
        exit_code = serve(&session, in_fd, out_fd, interrupt.fd);
    session_deinit(&session);
    if (interrupt.fd >= 0)
        interrupt_close(&interrupt);
    return exit_code;
}
