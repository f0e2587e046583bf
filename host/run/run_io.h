/* SPDX-License-Identifier: MIT
 *
 * The run's stdout and stderr, and the packets to and from its init.
 */
#pragma once

struct run;

/* Makes the socketpairs and pipes; the child's ends go to run->child_fds. */
int run_io_open(struct run *run, int *ret_call_fd);
int run_io_watch(struct run *run);
void run_io_close(struct run *run);
void run_io_close_child_ends(struct run *run);

/* Takes what the pipes hold now; never waits for their end. */
void run_io_drain(struct run *run);

int run_io_send_init(struct run *run, unsigned type, long value, int fd);
