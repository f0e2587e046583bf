/* SPDX-License-Identifier: MIT
 *
 * Jupyter notebooks as readable text.
 */
#pragma once

#include "base/buf.h"

#include <stddef.h>

#define NOTEBOOK_BYTES_MAX (16u * 1024u * 1024u)

/* Appends the cells of a notebook and their text outputs. 0; -EINVAL: not a notebook; what
 * buf_append returned. */
int notebook_append_text(struct buf *buf, const char *json_text, size_t length);
