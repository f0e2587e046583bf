/* SPDX-License-Identifier: MIT
 *
 * ptc-child: the program that holds the interpreter. Only ptc-host's library starts it, with a
 * control socket as fd 3 and an environment built from nothing.
 */
#include "base/fd.h"
#include "child/zygote.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CONTROL_FD 3

#ifdef __SANITIZE_ADDRESS__
/* A script at its memory limit gets a MemoryError in this build too. ASAN_OPTIONS cannot say it: the
 * environment is built from nothing. */
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
#endif

static int is_control_socket(int fd)
{
    int type = 0;
    socklen_t length = sizeof type;

    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_SEQPACKET;
}

/* glibc's posix_spawn leaves its own two signals ignored, sigaction() refuses them, and ignored is
 * what every program that the script starts would inherit. There is no other thread yet. */
static void reset_glibc_signals(void)
{
    static const struct {
        unsigned long handler, flags, restorer, mask;
    } by_default = {0};

    for (int number = SIGSYS + 1; number < SIGRTMIN; number++)
        (void)syscall(SYS_rt_sigaction, number, &by_default, NULL, sizeof by_default.mask);
}

int main(int argc, char **argv)
{
    static const int keep[] = {0, 1, 2, CONTROL_FD};

    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("ptc-child " PTC_VERSION_TEXT);
        return 0;
    }
    if (!is_control_socket(CONTROL_FD)) {
        fputs("ptc-child holds the Python interpreter for ptc-host, which starts it by itself.\n"
              "To run a script: ptc-host SCRIPT\n",
              stderr);
        return 64;
    }
    /* Whatever the host had open without close-on-exec is none of a run's business. */
    if (fd_close_all_except(0, keep, sizeof keep / sizeof *keep) < 0)
        return 71;
    fd_set_cloexec(CONTROL_FD, 1);
    reset_glibc_signals();
    prctl(PR_SET_NAME, "ptc-zygote");
    return zygote_main(CONTROL_FD);
}
