/* SPDX-License-Identifier: MIT
 *
 * Where the interpreter comes from. A warm zygote has it before it forks. A cold one, which forks
 * once, stays empty: its script brings the interpreter up by itself, so that no page of it is ever
 * copied and both forks are those of a tiny process.
 */
#pragma once

#include <stdbool.h>

struct err;
struct zygote_setup;

/* Initialises with hermes_tools built in. 0 or negative errno. */
int interpreter_start(const struct zygote_setup *setup, struct err *err);

bool interpreter_is_there(void); /* in this process */

/* In a forked child: after-fork care where there is an interpreter, else interpreter_start. 0 or
 * negative errno. */
int interpreter_ready(const struct zygote_setup *setup, struct err *err);
