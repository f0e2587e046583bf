/* SPDX-License-Identifier: MIT
 *
 * Whether a text is YAML: the events of libyaml's parser and nothing built from them, so several
 * documents and custom tags pass.
 */
#pragma once

#include <stddef.h>

struct yaml_fault {
    char message[256]; /* "did not find expected ',' or ']'" */
    int line, column;  /* from 1 */
};

/* 0: it is. 1: it is not, *ret_fault says why. -ENOTSUP: this build has no parser. -E2BIG: nested
 * too deeply. -ENOMEM. */
int yaml_check(const char *text, size_t length, struct yaml_fault *ret_fault);
