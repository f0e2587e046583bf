/* SPDX-License-Identifier: MIT
 *
 * Extraction of .ipynb: the cells in order, each under a "# %% [kind]" line, then its text outputs.
 * Images and other rich data are named, not shown.
 */
#include "tools/notebook.h"

#include "base/json.h"

#include <errno.h>
#include <string.h>

/* A notebook's "multiline string": text or a list of texts. Makes sure that it ends in a newline.
 */
static int append_multiline(struct buf *buf, const json_t *text)
{
    size_t before = buf->length;
    int r = 0;

    if (json_is_string(text)) {
        r = buf_append(buf, json_string_value(text), json_string_length(text));
    }
    for (size_t i = 0; r == 0 && json_is_array(text) && i < json_array_size(text); i++) {
        const json_t *piece = json_array_get(text, i);
        if (json_is_string(piece)) {
            r = buf_append(buf, json_string_value(piece), json_string_length(piece));
        }
    }
    if (r == 0 && buf->length > before && buf->data[buf->length - 1] != '\n') {
        r = buf_append(buf, "\n", 1);
    }
    return r;
}

static int append_error(struct buf *buf, const json_t *output)
{
    const char *name = json_string_value(json_object_get(output, "ename"));
    const char *value = json_string_value(json_object_get(output, "evalue"));

    return buf_append_format(buf, "%s: %s\n", name != NULL ? name : "error",
                             value != NULL ? value : "");
}

static int append_output(struct buf *buf, const json_t *output)
{
    const json_t *data = json_object_get(output, "data");
    const json_t *text = json_object_get(output, "text");
    const char *key = NULL;
    json_t *value = NULL;
    int r = buf_append_text(buf, "# output:\n");

    if (r < 0) {
        return r;
    }
    if (json_object_get(output, "ename") != NULL) {
        return append_error(buf, output);
    }
    if (text != NULL) {
        return append_multiline(buf, text);
    }
    r = append_multiline(buf, json_object_get(data, "text/plain"));
    json_object_foreach((json_t *)data, key, value)
    {
        if (r == 0 && strcmp(key, "text/plain") != 0) {
            r = buf_append_format(buf, "[%s not shown]\n", key);
        }
    }
    return r;
}

static int append_cell(struct buf *buf, const json_t *cell, size_t number)
{
    const char *type = json_string_value(json_object_get(cell, "cell_type"));
    const json_t *outputs = json_object_get(cell, "outputs");
    int r = buf_append_format(buf, "%s# %%%% [%s] cell %zu\n", number > 1 ? "\n" : "",
                              type != NULL ? type : "unknown", number);

    if (r == 0) {
        r = append_multiline(buf, json_object_get(cell, "source"));
    }
    for (size_t i = 0; r == 0 && i < json_array_size(outputs); i++) {
        r = append_output(buf, json_array_get(outputs, i));
    }
    return r;
}

int notebook_append_text(struct buf *buf, const char *json_text_bytes, size_t length)
{
    _cleanup_json_ json_t *notebook = json_parse(json_text_bytes, length, JSON_DEPTH_MAX, NULL);
    const json_t *cells = json_object_get(notebook, "cells");
    int r = 0;

    if (!json_is_array(cells)) {
        return -EINVAL;
    }
    for (size_t i = 0; r == 0 && i < json_array_size(cells); i++) {
        r = append_cell(buf, json_array_get(cells, i), i + 1);
    }
    return r;
}
