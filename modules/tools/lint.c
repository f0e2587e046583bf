/* SPDX-License-Identifier: MIT
 *
 * Syntax checks and the comparison with what was wrong before.
 */
#include "tools/lint.h"

#include "base/buf.h"
#include "base/str.h"
#include "tools/filetype.h"
#include "tools/state.h"
#include "tools/yaml_check.h"

#include <errno.h>
#include <string.h>

#define CHECK_STACK_BYTES (8u * 1024u * 1024u)
#define LINT_BYTES_MAX    (16u * 1024u * 1024u) /* larger texts are not judged: a tree costs 10x */

static json_t *lint_skipped(const char *format, const char *what)
{
    _cleanup_free_ char *message = str_format(format, what);

    return json_pack("{s:s, s:s}", "status", "skipped", "message", message != NULL ? message : "");
}

static void lint_fail(struct lint *lint, const char *kind, const char *message, int line,
                      int column)
{
    _cleanup_buf_ struct buf output = BUF_INIT(8192);

    if (strstr(message, "Error:") == NULL) { /* else the checker has named the kind itself */
        buf_append_format(&output, "%s: ", kind);
    }
    buf_append_format(&output, "%s (line %d, column %d)", message, line, column);
    lint->failed = true;
    lint->report = json_pack("{s:s, s:o?}", "status", "error", "output",
                             json_text((const char *)output.data, output.length));
}

/* Not json_parse: that one refuses what is lawful in a file (equal keys, deep nesting). What
 * jansson cannot represent (huge numbers, extreme depth) is not a fault of the text either. */
static void lint_json(struct lint *lint, const char *text, size_t length)
{
    json_error_t error;
    json_t *json = json_loadb(text, length,
                              JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);
    enum json_error_code code = json != NULL ? json_error_unknown : json_error_code(&error);

    if (json != NULL) {
        json_decref(json);
    } else if (code == json_error_numeric_overflow || code == json_error_stack_overflow ||
               code == json_error_out_of_memory) {
        lint->report = lint_skipped("%s", "the JSON is beyond what this parser can check");
    } else {
        lint_fail(lint, "JSONDecodeError", error.text, error.line, error.column);
    }
}

static void lint_yaml(struct lint *lint, const char *text, size_t length)
{
    struct yaml_fault fault = {0};
    int r = yaml_check(text, length, &fault);

    if (r > 0) {
        lint_fail(lint, "YAMLError", fault.message, fault.line, fault.column);
    } else if (r < 0) {
        lint->report =
            lint_skipped("%s", r == -ENOTSUP ? "this build has no YAML parser"
                                             : "the YAML is beyond what this parser can check");
    }
}

/* The checker is a fork of this process and goes on with the stack of the thread that forked it.
 * CPython's own limits on nesting are made for 8 MiB; the call threads have less. */
struct syntax_check {
    const struct tools_config *config;
    const char *language, *text;
    size_t length;
    bool checked;
    json_t *fault;
};

static void *syntax_check_main(void *user)
{
    struct syntax_check *check = user;

    check->fault = check->config->check_syntax(check->config->check_context, check->language,
                                               check->text, check->length, &check->checked);
    return NULL;
}

static void syntax_check_run(struct syntax_check *check, pthread_mutex_t *lock)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, CHECK_STACK_BYTES);
    pthread_mutex_lock(lock);
    if (pthread_create(&thread, &attributes, syntax_check_main, check) == 0) {
        pthread_join(thread, NULL);
    }
    pthread_mutex_unlock(lock);
    pthread_attr_destroy(&attributes);
}

static void lint_by_interpreter(const struct tool_call *call, struct lint *lint,
                                const char *language, const char *kind, const char *text,
                                size_t length)
{
    struct syntax_check check = {
        .config = call->config, .language = language, .text = text, .length = length};
    _cleanup_json_ json_t *fault = NULL;
    const char *message = NULL;

    if (call->config->check_syntax != NULL) {
        syntax_check_run(&check, &call->state->syntax_lock);
    }
    fault = check.fault;
    if (!check.checked) {
        lint->report = lint_skipped("the %s syntax could not be checked here", lint->language);
        return;
    }
    if (fault == NULL) {
        return;
    }
    message = json_string_value(json_object_get(fault, "message"));
    lint_fail(lint, kind, message != NULL ? message : "invalid syntax",
              (int)json_integer_value(json_object_get(fault, "line")),
              (int)json_integer_value(json_object_get(fault, "column")));
}

static void lint_by_extension(const struct tool_call *call, struct lint *lint,
                              const char *extension, const char *text, size_t length)
{
    if (strcmp(extension, "json") == 0) {
        lint->language = "JSON";
        lint->blocks = true;
        lint_json(lint, text, length);
    } else if (strcmp(extension, "toml") == 0) {
        lint->language = "TOML";
        lint->blocks = true;
        lint_by_interpreter(call, lint, "toml", "TOMLDecodeError", text, length);
    } else if (strcmp(extension, "py") == 0) {
        lint->language = "Python";
        lint_by_interpreter(call, lint, "python", "SyntaxError", text, length);
    } else if (strcmp(extension, "yaml") == 0 || strcmp(extension, "yml") == 0) {
        lint->language = "YAML";
        lint->blocks = true;
        lint_yaml(lint, text, length);
    } else if (extension[0] == '\0') {
        lint->report = lint_skipped("%s", "no linter for files without an extension");
    } else {
        lint->report = lint_skipped("no linter for .%s files", extension);
    }
}

void lint_text(const struct tool_call *call, const char *path, const char *text, size_t length,
               struct lint *ret_lint)
{
    char extension[16];

    *ret_lint = (struct lint){0};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    if (length > LINT_BYTES_MAX) {
        ret_lint->report = lint_skipped("%s", "the text is too large to be checked");
        return;
    }
    lint_by_extension(call, ret_lint, filetype_extension(path, extension), text, length);
    if (ret_lint->report == NULL) {
        ret_lint->report = json_pack("{s:s}", "status", "ok");
    }
}

static const char *lint_output(const struct lint *lint)
{
    const char *output = json_string_value(json_object_get(lint->report, "output"));

    return output != NULL ? output : "";
}

static bool has_line(const char *text, const char *line, size_t length)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        if (n == length && memcmp(text, line, n) == 0) {
            return true;
        }
        text += n + (text[n] == '\n');
    }
    return false;
}

json_t *lint_delta(const struct lint *before, const struct lint *after)
{
    _cleanup_buf_ struct buf fresh = BUF_INIT(0);
    const char *line = lint_output(after);

    if (!before->failed) {
        return json_incref(after->report);
    }
    while (*line != '\0') {
        size_t n = strcspn(line, "\n");
        if (!has_line(lint_output(before), line, n)) {
            buf_append_format(&fresh, "%.*s\n", (int)n, line);
        }
        line += n + (line[n] == '\n');
    }
    if (fresh.length == 0) {
        return json_pack("{s:s, s:s, s:s}", "status", "error", "output", lint_output(after),
                         "message",
                         "this write added no fault, but the file is still broken as it "
                         "was before");
    }
    return json_pack("{s:s, s:o?, s:s}", "status", "error", "output",
                     json_text((const char *)fresh.data, fresh.length), "message",
                     "faults that the file had before are left out");
}
