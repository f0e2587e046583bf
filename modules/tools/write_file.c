/* SPDX-License-Identifier: MIT
 *
 * The tool write_file: creates or replaces a file as a whole. Nothing on disk changes unless
 * everything before the rename went well.
 */
#include "base/err.h"
#include "base/str.h"
#include "tools/args.h"
#include "tools/atomic_file.h"
#include "tools/call.h"
#include "tools/display_text.h"
#include "tools/handlers.h"
#include "tools/lint.h"
#include "tools/write_target.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define OLD_LINT_BYTES_MAX (4u * 1024u * 1024u)
#define COMPARE_BYTES      65536

struct writing {
    struct tool_call *call;
    const char *path, *content;
    size_t length;
    struct write_target target;
    struct buf converted; /* content with the old file's line ends and mark; else content is it */
    bool dirs_created, verified;
    struct buf warning;
};

static void writing_deinit(struct writing *writing)
{
    write_target_cleanup(&writing->target);
    buf_deinit(&writing->converted);
    buf_deinit(&writing->warning);
}

static json_t *writing_failed(const struct writing *writing, const char *reason)
{
    return tools_error("Failed to write file: %s: %s", writing->path, reason);
}

static json_t *writing_parse(struct writing *writing, const json_t *args)
{
    const json_t *content = json_object_get(args, "content");
    json_t *error = NULL;

    writing->path = args_path(args, "path", &error);
    if (writing->path == NULL) {
        return error;
    }
    if (json_is_object(content) || json_is_array(content)) {
        return tools_error("Argument 'content' must be text, not %s: pass json.dumps(content)",
                           json_type_name(content));
    }
    writing->content = args_text(args, "content", &writing->length, &error);
    return error;
}

/* A text with plain line ends that replaces a CRLF file gets that file's line ends. A text that has
 * a CRLF of its own is exact already (read_file raw=True gives it so). */
static int convert_lines(struct buf *out, const char *text, size_t length)
{
    const char *end = text + length;
    int r = buf_reserve(out, length);

    while (r == 0 && text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((newline != NULL ? newline : end) - text);
        r = buf_append(out, text, n);
        if (r == 0 && newline != NULL) {
            r = buf_append(out, "\r\n", 2);
        }
        text += n + 1;
    }
    return r;
}

static int convert_content(struct writing *writing)
{
    bool has_bom = writing->length >= 3 && memcmp(writing->content, "\xef\xbb\xbf", 3) == 0;
    bool add_bom = writing->target.old_bom && !has_bom;
    bool add_cr = writing->target.old_crlf &&
                  memchr(writing->content, '\n', writing->length) != NULL &&
                  memmem(writing->content, writing->length, "\r\n", 2) == NULL;
    int r = 0;

    if (!add_bom && !add_cr) {
        return 0;
    }
    if (add_bom) {
        r = buf_append(&writing->converted, "\xef\xbb\xbf", 3);
    }
    if (r == 0) {
        r = add_cr ? convert_lines(&writing->converted, writing->content, writing->length)
                   : buf_append(&writing->converted, writing->content, writing->length);
    }
    if (r == 0) {
        writing->content = (const char *)writing->converted.data;
        writing->length = writing->converted.length;
    }
    return r;
}

static void writing_warn(struct writing *writing)
{
    const struct write_target *target = &writing->target;
    struct tool_call *call = writing->call;

    if (target->path.relative && !path_in_workspace(call, target->path.real)) {
        args_warn(&writing->warning, "The relative path leads out of the workspace, to %s.",
                  target->path.real);
    }
    if (display_text_has_gutter(writing->content, writing->length)) {
        args_warn(&writing->warning, "The text looks like read_file's numbered display; "
                                     "read_file(raw=True) gives text without line numbers.");
    }
    if (target->old_fd < 0) {
        return;
    }
    if (target->old.st_nlink > 1) {
        args_warn(&writing->warning,
                  "The file had %lu hard links; the other names keep the old "
                  "text.",
                  (unsigned long)target->old.st_nlink);
    }
    if (target->old_utf16) {
        args_warn(&writing->warning, "The file was UTF-16 and is UTF-8 now.");
    }
    if (seen_is_stale(&call->state->seen, target->path.real, &target->old)) {
        args_warn(&writing->warning, "The file was changed on disk by somebody else since it was "
                                     "last read.");
    }
}

/* rename would replace a file that is write protected: a plain open for writing would not. */
static int check_writable(const struct writing *writing, int directory_fd)
{
    const char *base = path_base(writing->target.path.real);

    if (writing->target.old_fd >= 0 &&
        faccessat(directory_fd, base, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) < 0 &&
        (errno == EACCES || errno == EROFS || errno == EPERM)) {
        return -errno;
    }
    return 0;
}

static int store(struct writing *writing)
{
    const struct write_target *target = &writing->target;
    _cleanup_fd_ int directory_fd =
        write_target_directory(writing->call, target, &writing->dirs_created);
    int r = 0;

    if (directory_fd < 0) {
        return directory_fd;
    }
    r = check_writable(writing, directory_fd);
    if (r == 0) {
        r = atomic_file_write(directory_fd, path_base(target->path.real),
                              target->old_fd >= 0 ? &target->old : NULL, target->old_fd,
                              writing->content, writing->length);
    }
    return r;
}

/* Reads the file back by its name and compares. */
static bool verify(struct writing *writing)
{
    struct stat status;
    _cleanup_fd_ int fd = path_open_regular(writing->call, writing->target.path.real, &status);
    _cleanup_free_ char *block = malloc(COMPARE_BYTES);
    size_t done = 0;

    if (fd < 0 || block == NULL) {
        return false;
    }
    seen_note(&writing->call->state->seen, writing->target.path.real, &status);
    for (;;) {
        ssize_t n = read(fd, block, COMPARE_BYTES);
        if (n <= 0) {
            return n == 0 && done == writing->length;
        }
        if ((size_t)n > writing->length - done ||
            memcmp(block, writing->content + done, (size_t)n) != 0) {
            return false;
        }
        done += (size_t)n;
    }
}

/* The verdict on the new text without the faults that the old one had too. */
static json_t *lint_report(struct writing *writing, const struct lint *lint)
{
    _cleanup_buf_ struct buf old = BUF_INIT(OLD_LINT_BYTES_MAX);
    _cleanup_lint_ struct lint before = {0};

    if (lint->failed && writing->target.old_fd >= 0 &&
        lseek(writing->target.old_fd, 0, SEEK_SET) == 0 &&
        fd_read_all(writing->target.old_fd, &old) == 0 && old.length > 0) {
        lint_text(writing->call, writing->target.path.real, (const char *)old.data, old.length,
                  &before);
        return lint_delta(&before, lint);
    }
    return json_incref(lint->report);
}

static json_t *gate_error(const struct writing *writing, const struct lint *lint)
{
    json_t *error =
        tools_error("Not written: %s would not be valid %s: %s", writing->path, lint->language,
                    json_string_value(json_object_get(lint->report, "output")));

    json_object_set(error, "lint", lint->report);
    return error;
}

static json_t *writing_result(struct writing *writing, const struct lint *lint)
{
    const char *real = writing->target.path.real;
    json_t *result = NULL;

    writing->verified = verify(writing);
    if (!writing->verified) {
        args_warn(&writing->warning, "Reading the file back gave something else: another process "
                                     "may be writing it too.");
    }
    result =
        json_pack("{s:I, s:b, s:b, s:o?, s:o?, s:[o?]}", "bytes_written",
                  (json_int_t)writing->length, "dirs_created", writing->dirs_created, "verified",
                  writing->verified, "lint", lint_report(writing, lint), "resolved_path",
                  json_text(real, strlen(real)), "files_modified", json_text(real, strlen(real)));
    if (result != NULL) {
        args_store_warning(result, &writing->warning);
    }
    return result;
}

static json_t *writing_run(struct writing *writing)
{
    _cleanup_lint_ struct lint lint = {0};
    struct err err = ERR_INIT;
    int r = write_target_open(writing->call, writing->path, &writing->target, &err);

    if (r < 0) {
        return writing_failed(writing, err.text);
    }
    lint_text(writing->call, writing->target.path.real, writing->content, writing->length, &lint);
    if (lint.failed && lint.blocks) {
        return gate_error(writing, &lint);
    }
    r = call_check(writing->call);
    if (r < 0) {
        return call_stopped_error(r, "Not written:", writing->path);
    }
    writing_warn(writing);
    r = convert_content(writing);
    if (r == 0) {
        r = store(writing);
    }
    return r < 0 ? writing_failed(writing, strerrordesc_np(-r)) : writing_result(writing, &lint);
}

json_t *tool_write_file(struct tool_call *call, const json_t *args)
{
    struct writing writing
        __attribute__((cleanup(writing_deinit))) = {.call = call, .target = WRITE_TARGET_INIT};
    json_t *error = writing_parse(&writing, args);

    return error != NULL ? error : writing_run(&writing);
}
