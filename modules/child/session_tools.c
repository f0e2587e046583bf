/* SPDX-License-Identifier: MIT
 *
 * The tools process, from fork to its first call.
 */
#include "child/session.h"

#include "base/fd.h"
#include "child/syntax.h"
#include "tools/tools.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { CHANNEL_FD = 3, WORKSPACE_FD = 4 };

/* Out of the way first: the targets may be among the sources. */
static void fds_arrange(const struct tools_session *session)
{
    static const int keep[] = {0, 1, 2, CHANNEL_FD, WORKSPACE_FD};
    int channel = fcntl(session->channel_fd, F_DUPFD_CLOEXEC, 10);
    int workspace = fcntl(session->workspace_fd, F_DUPFD_CLOEXEC, 10);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (channel < 0 || workspace < 0 || null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
        dup2(null, 2) < 0 || dup3(channel, CHANNEL_FD, O_CLOEXEC) < 0 ||
        dup3(workspace, WORKSPACE_FD, O_CLOEXEC) < 0)
        _exit(SESSION_EXIT_SETUP);
    if (fd_close_all_except(0, keep, sizeof keep / sizeof *keep) < 0)
        _exit(SESSION_EXIT_SETUP);
}

_Noreturn void session_tools(const struct tools_session *session)
{
    struct tools_config config = {
        .workspace = session->setup->workspace,
        .workspace_fd = WORKSPACE_FD,
        .home = session->home,
        .shell = "/bin/bash",
        .output_bytes_max = session->setup->output_bytes,
        .check_syntax = syntax_check,
        .check_context = session->zygote_setup,
    };
    unsigned layers = 0;

    setsid(); /* signals that the script sends to its own group are not for the tools */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "ptc-tools");
    session_reset_signals();
    if (fchdir(session->workspace_fd) < 0)
        _exit(SESSION_EXIT_SETUP);
    fds_arrange(session);
    if (privs_apply(&layers) < 0)
        _exit(SESSION_EXIT_SETUP);
    prctl(PR_SET_DUMPABLE, 0); /* the script has the same uid and must not look in */
    _exit(tools_serve(CHANNEL_FD, &config) < 0 ? SESSION_EXIT_SETUP : 0);
}
