/* SPDX-License-Identifier: MIT
 *
 * The RUN frame, taken apart: the script and the tools that it may call.
 *
 *   head  {"filename":"/w/script.py","from_file":true,"argv0":"script.py","argv":[...],
 *          "path":[...],"tools":["read_file", {spec of an embedder's tool}, ...]}
 *   body  the script's bytes, as they are
 */
#pragma once

#include "python/script.h"
#include "spec/toolset.h"

struct err;
struct hermes_channel;

struct run_message {
    struct script_source source;
    struct toolset tools;
};

/* Everything lives until the process ends. 0 or negative errno. */
int run_message_receive(struct run_message *message, struct hermes_channel *channel,
                        struct err *err);
