/* SPDX-License-Identifier: MIT
 *
 * Cancellation and deadline of the call in progress, polled by long loops.
 */
#include "tools/call.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>

int call_check(const struct tool_call *call)
{
    struct pollfd cancel = {.fd = call->cancel_fd, .events = POLLIN};

    if (call->cancel_fd >= 0 && poll(&cancel, 1, 0) > 0) {
        return -ECANCELED;
    }
    if (call->deadline_ns != 0 && clock_now_ns() >= call->deadline_ns) {
        return -ETIME;
    }
    return 0;
}

json_t *call_stopped_error(int code, const char *doing, const char *path)
{
    return tools_error("%s %s: %s", doing, path,
                       code == -ETIME ? "the time limit of the run was reached"
                                      : "the call was cancelled");
}
