/* SPDX-License-Identifier: MIT
 *
 * What a run is told at its start: BIND for its init, RUN for the script.
 */
#pragma once

struct run;
struct run_request;

/* Sends BIND and queues RUN. 0 or negative errno. */
int run_setup_send(struct run *run, const struct run_request *request);
