/* SPDX-License-Identifier: MIT
 *
 * Build-time program: writes hermes_tools.pyi for all built-in tools to the file that is named.
 */
#include "spec/pystub.h"

#include "base/buf.h"
#include "base/err.h"

#include <stdio.h>
#include <string.h>

static int file_write(const char *path, const struct buf *text)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return -1;
    size_t written = fwrite(text->data, 1, text->length, file);
    return fclose(file) == 0 && written == text->length ? 0 : -1;
}

int main(int argc, char **argv)
{
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    struct toolset set;
    struct err err = ERR_INIT;

    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 64;
    }
    if (toolset_select(&set, "all", NULL, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    int r = pystub_append_module(&text, &set);
    toolset_deinit(&set);
    if (r < 0 || file_write(argv[1], &text) < 0) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
