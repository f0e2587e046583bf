/* SPDX-License-Identifier: MIT
 *
 * The zygote: initialised interpreter, one thread, no secrets. It forks an init for each run, where it
 * can before anybody asks for one, and tells the host what became of it. It reads nothing but the
 * host's control socket.
 */
#pragma once

/* Serves until the host is gone. Returns the exit status of the process. */
int zygote_main(int control_fd);
