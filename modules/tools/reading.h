/* SPDX-License-Identifier: MIT
 *
 * One read_file request, from its arguments (read_file.c) to its result: text by pages
 * (read_text.c) or bytes (read_base64.c).
 */
#pragma once

#include "base/buf.h"
#include "tools/encoding.h"
#include "tools/tools.h"

#include <sys/stat.h>

#define READ_BLOCK_BYTES (192u * 1024u) /* a multiple of three, for base64 */

struct reading {
    struct tool_call *call;
    const char *path; /* as the script spelled it */
    uint64_t offset, limit;
    bool raw, base64;
    int fd;
    struct stat status;
    enum encoding encoding;
    bool extracted;  /* the text was made from a notebook */
    struct buf text; /* transcoded or extracted text; else the file is streamed */
    bool have_text;
    struct buf warning, note;
};

/* The error for a negative errno. */
json_t *reading_failed(const struct reading *reading, int code);

/* Stores `_warning` and `note`. */
void reading_store_remarks(const struct reading *reading, json_t *result);

json_t *reading_text(struct reading *reading);
json_t *reading_base64(struct reading *reading);
