/* SPDX-License-Identifier: MIT
 *
 * Looking before writing.
 */
#include "tools/write_target.h"

#include "base/err.h"
#include "base/str.h"
#include "tools/filetype.h"
#include "tools/path_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define PROBE_BYTES 4096

static int refuse_documents(const struct write_target *target, struct err *err)
{
    char extension[16];
    unsigned char head[8] = {0};

    filetype_extension(target->path.real, extension);
    if (filetype_is_document_name(target->path.real)) {
        return err_set(err, -EINVAL,
                       "a .%s file is a container that plain text can never be; use a "
                       "library for it",
                       extension);
    }
    if (target->old_fd < 0) {
        return 0;
    }
    if (strcmp(extension, "pdf") == 0) {
        return err_set(err, -EINVAL, "an existing .pdf file is not replaced by text");
    }
    if (strcmp(extension, "pot") == 0 && pread(target->old_fd, head, 8, 0) == 8 &&
        memcmp(head, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8) == 0) {
        return err_set(err, -EINVAL, "the file is a PowerPoint template, not a text catalogue");
    }
    return 0;
}

static void probe_old(struct write_target *target)
{
    unsigned char head[PROBE_BYTES];
    ssize_t length = pread(target->old_fd, head, sizeof(head), 0);

    if (length <= 0) {
        return;
    }
    target->old_bom = length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0;
    target->old_crlf = memmem(head, (size_t)length, "\r\n", 2) != NULL;
    target->old_utf16 =
        length >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0);
}

/* What is there may be unreadable for us and yet ours to replace: then only its status is known. */
static int look_at_old(const struct tool_call *call, struct write_target *target, struct err *err)
{
    int fd = path_open_regular(call, target->path.real, &target->old);

    if (fd == -ENOENT) {
        return 0;
    }
    if (fd == -EISDIR || fd == -ENOTBLK) {
        return err_set(err, fd, "not a regular file (it is a %s)",
                       path_type_name(target->old.st_mode));
    }
    if (fd == -EACCES) {
        fd = path_open(call, target->path.real, O_PATH);
    }
    if (fd < 0) {
        return err_set(err, fd, "%s", strerrordesc_np(-fd));
    }
    target->old_fd = fd;
    probe_old(target);
    return 0;
}

int write_target_open(const struct tool_call *call, const char *text, struct write_target *target,
                      struct err *err)
{
    int r = path_resolve(call, text, path_rule_write, &target->path, err);
    const char *reason = NULL;

    if (r < 0) {
        return r;
    }
    reason = path_rule_roots(call->config, target->path.real);
    if (reason != NULL) {
        return err_set(err, -EACCES, "%s", reason);
    }
    if (text[strlen(text) - 1] == '/') {
        return err_set(err, -EISDIR, "the name ends in '/', so it is a directory's");
    }
    r = look_at_old(call, target, err);
    return r < 0 ? r : refuse_documents(target, err);
}

/* Opens the deepest directory of path that exists; path is cut there, the rest follows the NUL. */
static int open_deepest(const struct tool_call *call, char *path)
{
    int fd = path_open(call, path, O_PATH | O_DIRECTORY);

    while (fd == -ENOENT) {
        char *slash = strrchr(path, '/');
        if (slash == NULL || slash == path) {
            return path_open(call, "/", O_PATH | O_DIRECTORY);
        }
        *slash = '\0';
        fd = path_open(call, path, O_PATH | O_DIRECTORY);
    }
    return fd;
}

static int make_below(int parent, const char *name)
{
    int fd = -1;

    if (mkdirat(parent, name, 0777) < 0 && errno != EEXIST) {
        return -errno;
    }
    fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int write_target_directory(const struct tool_call *call, const struct write_target *target,
                           bool *ret_created)
{
    const char *base = path_base(target->path.real);
    size_t length = (size_t)(base - target->path.real);
    _cleanup_free_ char *path = strndup(target->path.real, length > 1 ? length - 1 : 1);
    _cleanup_fd_ int fd = -1;
    size_t have = 0;

    *ret_created = false;
    if (path == NULL) {
        return -ENOMEM;
    }
    length = strlen(path);
    fd = open_deepest(call, path);
    for (have = strlen(path); fd >= 0 && have < length; have += strlen(path + have)) {
        int next = make_below(fd, path + ++have);
        fd_close(fd);
        fd = next;
        *ret_created = true;
    }
    return fd_steal(&fd);
}
