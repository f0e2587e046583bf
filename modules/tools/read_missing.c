/* SPDX-License-Identifier: MIT
 *
 * The missing file: looks around in the directory where it should be.
 */
#include "tools/read_missing.h"

#include "base/fd.h"
#include "base/str.h"
#include "tools/args.h"
#include "tools/path_rules.h"
#include "tools/similar.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* The directory part of the text as it was spelled, with its slash; heap. */
static char *spelled_directory(const char *text)
{
    const char *base = path_base(text);

    return strndup(text, (size_t)(base - text));
}

static int open_twin(struct tool_call *call, struct path *path, int directory_fd,
                     struct stat *ret_status, struct buf *note)
{
    const char *base = path_base(path->real);
    _cleanup_free_ char *twin = similar_unicode_twin(directory_fd, base);
    char *real = NULL;
    int fd = -ENOENT;

    if (twin == NULL) {
        return -ENOENT;
    }
    real = str_format("%.*s%s", (int)(base - path->real), path->real, twin);
    if (real == NULL) {
        return -ENOMEM;
    }
    if (path_rule_read(call->config, real) == NULL) {
        fd = path_open_regular(call, real, ret_status);
    }
    if (fd < 0) {
        free(real);
        return fd;
    }
    args_warn(note,
              "There is no file of exactly this name; '%s' was read, whose name differs only "
              "in how Unicode spells it.",
              twin);
    free(path->real);
    path->real = real;
    return fd;
}

json_t *missing_file(struct tool_call *call, const char *text, struct path *path, int *ret_fd,
                     struct stat *ret_status, struct buf *note)
{
    const char *base = path_base(path->real);
    _cleanup_free_ char *directory = strndup(path->real, (size_t)(base - path->real));
    _cleanup_free_ char *shown = spelled_directory(text);
    _cleanup_fd_ int directory_fd = -1;
    json_t *error = NULL;

    if (directory == NULL || shown == NULL) {
        return tools_error("File not found: %s", text);
    }
    if (strlen(directory) > 1) {
        directory[strlen(directory) - 1] = '\0';
    }
    directory_fd = path_open(call, directory, O_PATH | O_DIRECTORY);
    if (directory_fd >= 0) {
        *ret_fd = open_twin(call, path, directory_fd, ret_status, note);
        if (*ret_fd >= 0) {
            return NULL;
        }
    }
    error = tools_error("File not found: %s", text);
    if (directory_fd >= 0) {
        json_t *similar = similar_files(directory_fd, shown, path_base(text));
        if (similar != NULL) {
            json_object_set_new(error, "similar_files", similar);
        }
    }
    return error;
}
