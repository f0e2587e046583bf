/* SPDX-License-Identifier: MIT
 *
 * A host for the tests of hermes_tools: one process, one channel, no policy. The tool `host` makes
 * it misbehave in a chosen way; every other tool is echoed.
 */
#pragma once

/* Serves until DONE or the end of the channel. Returns the exit status of its process: 0 when the
 * channel ended with DONE, 3 at a bare end of file, 1 when the module broke the protocol. */
int fake_host_serve(int fd);
