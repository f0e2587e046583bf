/* SPDX-License-Identifier: MIT
 *
 * A workspace in a temporary directory and calls of the local tools in it, without a server.
 */
#pragma once

#include "base/json.h"
#include "tools/handlers.h"
#include "tools/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
    char root[64];      /* the temporary directory */
    char workspace[80]; /* root/ws */
    char home[80];      /* root/home */
    struct tools_config config;
    struct tools_state *state;
    struct tool_call call;
};

/* Stands in for the embedded interpreter: a text with "BROKEN" in it is broken in the line where
 * that stands. */
static inline json_t *fixture_check_syntax(const void *context, const char *language,
                                           const char *text, size_t length, bool *ret_checked)
{
    const char *found = memmem(text, length, "BROKEN", 6);
    int line = 1;

    (void)context;
    (void)language;
    *ret_checked = true;
    for (const char *at = text; found != NULL && at < found; at++) {
        line += *at == '\n';
    }
    return found == NULL ? NULL
                         : json_pack("{s:s, s:i, s:i}", "message", "invalid syntax", "line", line,
                                     "column", 1);
}

static inline int fixture_setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    umask(022);
    strcpy(f->root, "/tmp/ptc-tools-test.XXXXXX");
    assert_non_null(mkdtemp(f->root));
    snprintf(f->workspace, sizeof(f->workspace), "%s/ws", f->root);
    snprintf(f->home, sizeof(f->home), "%s/home", f->root);
    assert_int_equal(mkdir(f->workspace, 0755), 0);
    assert_int_equal(mkdir(f->home, 0755), 0);
    f->config = (struct tools_config){
        .workspace = f->workspace,
        .workspace_fd = open(f->workspace, O_PATH | O_DIRECTORY | O_CLOEXEC),
        .home = f->home,
        .shell = "/bin/bash",
        .output_bytes_max = 50000,
        .check_syntax = fixture_check_syntax,
    };
    f->state = tools_state_new(&f->config);
    assert_non_null(f->state);
    f->call = (struct tool_call){.config = &f->config, .state = f->state, .cancel_fd = -1};
    *state = f;
    return 0;
}

static inline int fixture_teardown(void **state)
{
    struct fixture *f = *state;
    char command[192];

    tools_state_free(f->state);
    close(f->config.workspace_fd);
    snprintf(command, sizeof(command), "chmod -R u+rwx %s; rm -rf %s", f->root, f->root);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

#define FIXTURE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

/* Calls a tool; args (json_pack'ed) is consumed. The result is always an object. */
static inline json_t *fixture_call(struct fixture *f, const char *tool, json_t *args)
{
    json_t *result = NULL;

    assert_non_null(args);
    assert_non_null(tools_find(tool));
    result = tools_find(tool)(&f->call, args);
    json_decref(args);
    assert_true(json_is_object(result));
    return result;
}

static inline json_t *fixture_read(struct fixture *f, const char *path)
{
    return fixture_call(f, "read_file", json_pack("{s:s}", "path", path));
}

static inline json_t *fixture_write(struct fixture *f, const char *path, const char *content)
{
    return fixture_call(f, "write_file", json_pack("{s:s, s:s}", "path", path, "content", content));
}

static inline json_t *fixture_terminal(struct fixture *f, const char *command)
{
    return fixture_call(f, "terminal", json_pack("{s:s}", "command", command));
}

/* "" when the key is missing or not a string. */
static inline const char *get_text(const json_t *result, const char *key)
{
    const char *text = json_string_value(json_object_get(result, key));

    return text != NULL ? text : "";
}

static inline long long get_int(const json_t *result, const char *key)
{
    const json_t *value = json_object_get(result, key);

    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static inline bool get_bool(const json_t *result, const char *key)
{
    const json_t *value = json_object_get(result, key);

    assert_true(json_is_boolean(value));
    return json_is_true(value);
}

static inline void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", part, text);
    }
}

static inline void assert_no_error(const json_t *result)
{
    if (json_is_string(json_object_get(result, "error"))) {
        fail_msg("unexpected error: %s", get_text(result, "error"));
    }
}

/* The absolute name of a file in the workspace; a static buffer per call site is enough. */
static inline const char *ws_path(struct fixture *f, const char *name, char buffer[PATH_MAX])
{
    snprintf(buffer, PATH_MAX, "%s/%s", f->workspace, name);
    return buffer;
}

static inline void put_bytes(struct fixture *f, const char *name, const void *data, size_t length)
{
    char path[PATH_MAX];
    int fd = open(ws_path(f, name, path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, length), (ssize_t)length);
    close(fd);
}

static inline void put_text(struct fixture *f, const char *name, const char *text)
{
    put_bytes(f, name, text, strlen(text));
}

static inline void assert_bytes(struct fixture *f, const char *name, const void *data,
                                size_t length)
{
    char path[PATH_MAX];
    char *have = malloc(length + 16);
    int fd = open(ws_path(f, name, path), O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(read(fd, have, length + 16), (ssize_t)length);
    assert_memory_equal(have, data, length);
    free(have);
    close(fd);
}

static inline bool exists(struct fixture *f, const char *name)
{
    char path[PATH_MAX];

    return access(ws_path(f, name, path), F_OK) == 0;
}

static inline bool skip_as_root(const char *what)
{
    if (geteuid() == 0) {
        print_message("SKIPPED as root, whom permissions do not stop: %s\n", what);
        return true;
    }
    return false;
}
