/* SPDX-License-Identifier: MIT
 *
 * What the tests of the public functions share: a host with a workspace of its own, and runs whose
 * result is looked at as JSON.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdbool.h>

#include "ptc_host.h"

struct harness {
    ptc_host *host;
    ptc_settings *settings;
    char workspace[64];
};

int harness_setup(void **state);    /* cmocka set-up: a host with default options */
int harness_teardown(void **state); /* and its end */

ptc_host *harness_host(const struct harness *harness); /* one more, with the same settings */
void harness_set(struct harness *harness, const char *option, const char *value);

/* Runs code and returns the parsed result (new reference); fails the test when there is none. */
json_t *harness_run(struct harness *harness, const char *code);
json_t *harness_run_on(ptc_host *host, const ptc_settings *settings, const char *code);

/* The string at key, "" when it is not there. Borrowed. */
const char *harness_text(const json_t *result, const char *key);

/* Fails the test with the whole result when status or output differ. */
void harness_expect(const json_t *result, const char *status, const char *output);

/* Dispatches until the background run has ended. Borrowed result. */
const ptc_result *harness_wait(ptc_host *host, ptc_run_handle *run);

/* A spec without parameters but "x" (any type, optional). */
int harness_add_tool(ptc_host *host, const char *name, const char *flags, ptc_tool_fn fn,
                     void *user);

int harness_open_fds(void);              /* how many fds this process has */
int harness_children(void);              /* how many children this process has */
bool harness_wait_gone(int pid, int ms); /* no such process, or a zombie */
