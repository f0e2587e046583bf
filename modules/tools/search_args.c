/* SPDX-License-Identifier: MIT
 *
 * The arguments of search_files: numbers into their ranges, names into choices, and `path`, which
 * may be one directory, one file, or several of them in one text.
 */
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "tools/args.h"
#include "tools/path.h"
#include "tools/path_rules.h"
#include "tools/search.h"
#include "tools/similar.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define LIMIT_DEFAULT 50

/* One of the choices by its name, or -1; a missing argument is the first. */
static int choice(const json_t *args, const char *key, const char *const *names, json_t **ret_error)
{
    const json_t *value = json_object_get(args, key);
    const char *text = json_string_value(value);

    if (value == NULL || json_is_null(value)) {
        return 0;
    }
    for (int i = 0; text != NULL && names[i] != NULL; i++) {
        if (strcmp(names[i], text) == 0) {
            return i;
        }
    }
    *ret_error = tools_error("Argument '%s' must not be '%.100s'", key,
                             text != NULL ? text : json_type_name(value));
    return -1;
}

static uint64_t number(const json_t *args, const char *key, long long fallback, long long least,
                       long long most, struct buf *warning)
{
    long long value = args_integer(args, key, fallback, warning);

    if (value > most) {
        args_warn(warning, "%s was lowered from %lld to %lld.", key, value, most);
    }
    return (uint64_t)(value < least ? least : value > most ? most : value);
}

static void parse_numbers(const json_t *args, struct search_request *request, struct buf *warning)
{
    request->limit = number(args, "limit", LIMIT_DEFAULT, 1, SEARCH_LIMIT_MAX, warning);
    request->offset = number(args, "offset", 0, 0, 1ll << 40, warning);
    request->context = (unsigned)number(args, "context", 0, 0, SEARCH_CONTEXT_MAX, warning);
    request->include_hidden = args_bool(args, "include_hidden", false);
    request->include_ignored = args_bool(args, "include_ignored", false);
    request->include_directories = args_bool(args, "include_dirs", false);
}

static json_t *parse_pattern(const json_t *args, struct search_request *request)
{
    json_t *error = NULL;

    request->pattern = args_text(args, "pattern", &request->pattern_length, &error);
    if (request->pattern == NULL) {
        return error;
    }
    if (request->by_name && strlen(request->pattern) != request->pattern_length) {
        return tools_error("Argument 'pattern' has a NUL byte in it, which no file name has");
    }
    if (!json_is_null(json_object_get(args, "file_glob")) &&
        json_object_get(args, "file_glob") != NULL) {
        request->file_glob = args_path(args, "file_glob", &error);
    }
    return error;
}

json_t *search_parse(const struct tool_call *call, const json_t *args,
                     struct search_request *ret_request, struct buf *warning)
{
    static const char *const targets[] = {"content", "grep", "files", "find", NULL};
    static const char *const modes[] = {"content", "files_only", "count", NULL};
    static const char *const orders[] = {"discovery", "modified", NULL};
    json_t *error = NULL;
    int target = choice(args, "target", targets, &error);
    int mode = error == NULL ? choice(args, "output_mode", modes, &error) : 0;
    int order = error == NULL ? choice(args, "order", orders, &error) : 0;

    (void)call;
    if (error != NULL) {
        return error;
    }
    *ret_request = (struct search_request){
        .by_name = target >= 2, .mode = (enum search_mode)mode, .modified_first = order == 1};
    parse_numbers(args, ret_request, warning);
    return parse_pattern(args, ret_request);
}

/* What found paths begin with: the directory as it was spelled, without "./" and with one slash at
 * the end. ~ is written out, since only tools know what it means. */
static char *shown_prefix(const char *text, size_t length, const char *real)
{
    if (text[0] == '~') {
        text = real;
        length = strlen(real);
    }
    while (length > 1 && text[length - 1] == '/') {
        length--;
    }
    while (length >= 2 && text[0] == '.' && text[1] == '/') {
        text += 2;
        length -= 2;
        while (length > 0 && *text == '/') {
            text++;
            length--;
        }
    }
    if (length == 0 || (length == 1 && text[0] == '.')) {
        return strdup("");
    }
    return str_format("%.*s%s", (int)length, text, text[length - 1] == '/' ? "" : "/");
}

static char *real_directory(const char *real, size_t length)
{
    while (length > 0 && real[length - 1] == '/') {
        length--;
    }
    return strndup(real, length);
}

/* The root is one file: its directory, and its name. */
static int root_file(const struct tool_call *call, const char *text, const struct path *path,
                     struct walk_root *root)
{
    const char *name = path_base(path->real);
    _cleanup_free_ char *directory = real_directory(path->real, (size_t)(name - path->real));

    if (directory == NULL) {
        return -ENOMEM;
    }
    fd_close(root->fd);
    root->fd = path_open(call, directory[0] != '\0' ? directory : "/", O_PATH | O_DIRECTORY);
    if (root->fd < 0) {
        return root->fd;
    }
    root->name = strdup(name);
    root->real = strdup(directory);
    if (strcmp(path_base(text), name) == 0) {
        size_t spelled = (size_t)(path_base(text) - text);
        root->shown = spelled == 0 ? strdup("") : shown_prefix(text, spelled, directory);
    } else { /* a link: what it leads to is shown */
        root->shown = str_format("%s/", directory);
    }
    return 0;
}

/* Directories may have the names of credential files (a virtual environment in .env). */
static int root_resolve(const struct tool_call *call, const char *text, struct path *path,
                        struct err *err)
{
    struct stat status;
    int r = path_resolve(call, text, path_rule_read, path, err);

    if (r != -EACCES) {
        return r;
    }
    free(path->real);
    *path = (struct path){0};
    r = path_resolve(call, text, PATH_RULE_NONE, path, NULL);
    if (r == 0 && lstat(path->real, &status) == 0 && S_ISDIR(status.st_mode)) {
        return 0;
    }
    return -EACCES;
}

/* NULL, or the error; -ENOENT in ret_code says that only the name is wrong. */
static json_t *root_make(const struct tool_call *call, const char *text, struct walk_root *root,
                         int *ret_code)
{
    _cleanup_path_ struct path path = {0};
    struct err err = ERR_INIT;
    struct stat status;
    int r = root_resolve(call, text, &path, &err);

    *root = (struct walk_root){.fd = -1};
    if (r < 0) {
        *ret_code = r;
        return tools_error("Cannot search %s: %s", text, err.text);
    }
    root->fd = path_open(call, path.real, O_PATH);
    if (root->fd < 0 || fstat(root->fd, &status) < 0) {
        *ret_code = root->fd < 0 ? root->fd : -errno;
        return tools_error("Cannot search %s: %s", text, strerrordesc_np(-*ret_code));
    }
    if (S_ISDIR(status.st_mode)) {
        root->real = real_directory(path.real, strlen(path.real));
        root->shown = shown_prefix(text, strlen(text), path.real);
    } else if (S_ISREG(status.st_mode)) {
        r = root_file(call, text, &path, root);
    } else {
        *ret_code = -ENOTBLK;
        return tools_error("Cannot search %s: neither a directory nor a regular file (it is a %s)",
                           text, path_type_name(status.st_mode));
    }
    if (r < 0 || root->real == NULL || root->shown == NULL) {
        *ret_code = r < 0 ? r : -ENOMEM;
        return tools_error("Cannot search %s: %s", text, strerrordesc_np(-*ret_code));
    }
    return NULL;
}

static json_t *missing_error(const struct tool_call *call, const char *text)
{
    _cleanup_path_ struct path path = {0};
    _cleanup_free_ char *shown = strndup(text, (size_t)(path_base(text) - text));
    _cleanup_free_ char *directory = NULL;
    _cleanup_fd_ int fd = -1;
    json_t *error = tools_error("Path not found: %s", text), *similar = NULL;

    if (shown == NULL || path_resolve(call, text, PATH_RULE_NONE, &path, NULL) < 0) {
        return error;
    }
    directory = strndup(path.real, (size_t)(path_base(path.real) - path.real));
    fd = directory != NULL ? open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    similar = fd >= 0 ? similar_files(fd, shown, path_base(text)) : NULL;
    if (similar != NULL) {
        json_object_set_new(error, "similar_paths", similar);
    }
    return error;
}

/* The part up to the next separator; *text moves on. NULL: no more. Heap. */
static char *next_part(const char **text, const char *separators)
{
    const char *start = *text + strspn(*text, separators);
    size_t length = strcspn(start, separators);

    *text = start + length;
    while (length > 0 && (start[length - 1] == ' ' || start[length - 1] == '\t')) {
        length--;
    }
    while (length > 0 && (*start == ' ' || *start == '\t')) {
        start++;
        length--;
    }
    return length > 0 ? strndup(start, length) : NULL;
}

/* Several paths in one text, all of which exist. Their number, 0: it is not that. */
static size_t roots_split(const struct tool_call *call, const char *text, const char *separators,
                          struct walk_root *roots)
{
    size_t count = 0;

    while (count < WALK_ROOTS_MAX) {
        _cleanup_free_ char *part = next_part(&text, separators);
        json_t *error = NULL;
        int code = 0;
        if (part == NULL) {
            break;
        }
        error = root_make(call, part, &roots[count++], &code);
        if (error != NULL) {
            json_decref(error);
            while (count > 0) {
                walk_root_deinit(&roots[--count]);
            }
            return 0;
        }
    }
    return count;
}

json_t *search_roots(const struct tool_call *call, const json_t *args, struct walk_root **ret_roots,
                     size_t *ret_count, struct buf *note)
{
    json_t *error = NULL;
    const char *text =
        json_object_get(args, "path") == NULL ? "." : args_path(args, "path", &error);
    struct walk_root *roots = calloc(WALK_ROOTS_MAX, sizeof(*roots));
    int code = 0;

    if (text == NULL || roots == NULL) {
        free(roots);
        return error != NULL ? error : tools_error("no memory");
    }
    *ret_roots = roots;
    *ret_count = 1;
    error = root_make(call, text, &roots[0], &code);
    if (error == NULL) {
        return NULL;
    }
    walk_root_deinit(&roots[0]);
    if (code == -ENOENT || code == -ENOTDIR || code == -ENAMETOOLONG) {
        *ret_count = roots_split(call, text, strchr(text, ',') != NULL ? "," : " \t\n", roots);
        if (*ret_count > 1) {
            json_decref(error);
            args_warn(note, "'%.200s' was searched as %zu paths.", text, *ret_count);
            return NULL;
        }
        walk_root_deinit(&roots[0]);
        json_decref(error);
        error = missing_error(call, text);
    }
    free(roots);
    return error;
}
