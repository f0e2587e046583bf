/* SPDX-License-Identifier: MIT
 *
 * The seven built-in tools as data. Names, arguments and their order are those that models and
 * existing scripts know; what is ours comes after them. Texts are read by models: short, with
 * units.
 */
#include "spec/toolset.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PARAMS(list) .params = (list), .param_count = COUNT(list)

/* ---- files -------------------------------------------------------------------------------------
 */

#define PATH_DOC "relative to the workspace, absolute, or with ~"

static const char *const read_encodings[] = {"utf-8", "base64", NULL};
static const struct spec_alias read_encoding_aliases[] = {
    {"utf8", "utf-8"}, {"UTF-8", "utf-8"}, {"UTF8", "utf-8"}, {NULL, NULL}};

static const struct spec_param read_file_params[] = {
    {.name = "path", .required = true, .doc = "File to read: " PATH_DOC "."},
    {.name = "offset",
     .type = SPEC_INTEGER,
     .default_json = "1",
     .doc = "First line to return; lines count from 1."},
    {.name = "limit",
     .type = SPEC_INTEGER,
     .default_json = "500",
     .doc = "Lines to return, 1 to 2000."},
    {.name = "raw",
     .type = SPEC_BOOLEAN,
     .default_json = "false",
     .doc =
         "True: content is the exact text, without line numbers, fit to be written back; the whole "
         "file when offset and limit are left alone."},
    {.name = "encoding",
     .default_json = "\"utf-8\"",
     .choices = read_encodings,
     .aliases = read_encoding_aliases,
     .doc = "'utf-8' for text (UTF-16 is recognised); 'base64' for the bytes of any file, also a "
            "binary one."},
};

static const struct tool_spec read_file = {
    .name = "read_file",
    .summary = "Read a page of a text file, each line as 'NUMBER|text' (exact text with raw=True).",
    PARAMS(read_file_params),
    .result_doc =
        "content, total_lines, file_size (bytes), truncated, next_offset when lines follow, "
        "hint; similar_files beside error when there is no such file",
    .place = SPEC_LOCAL,
    .flags = SPEC_READ_ONLY | SPEC_PARALLEL_SAFE,
};

#define CROSS_PROFILE_PARAM                                                                        \
    {                                                                                              \
        .name = "cross_profile", .type = SPEC_BOOLEAN, .default_json = "false", .hidden = true,    \
        .doc = "Accepted for compatibility; without effect here."                                  \
    }

static const struct spec_param write_file_params[] = {
    {.name = "path", .required = true, .doc = "File to create or replace: " PATH_DOC "."},
    {.name = "content", .required = true, .doc = "The whole new text of the file."},
    CROSS_PROFILE_PARAM,
};

static const struct tool_spec write_file = {
    .name = "write_file",
    .summary = "Create or replace a file in one step, with missing parent directories.",
    PARAMS(write_file_params),
    .result_doc = "bytes_written, dirs_created, verified, lint {status, output, message}, "
                  "resolved_path, files_modified",
    .place = SPEC_LOCAL,
};

static const char *const patch_modes[] = {"replace", "patch", NULL};
static const char *const patch_fuzz[] = {"exact", "safe", "loose", NULL};

static const struct spec_param patch_params[] = {
    {.name = "path",
     .nullable = true,
     .default_json = "null",
     .doc = "mode 'replace': file to edit: " PATH_DOC "."},
    {.name = "old_string",
     .nullable = true,
     .default_json = "null",
     .doc = "mode 'replace': text to find; it must occur once unless replace_all is True."},
    {.name = "new_string",
     .nullable = true,
     .default_json = "null",
     .doc = "mode 'replace': text to put in its place; '' deletes."},
    {.name = "replace_all",
     .type = SPEC_BOOLEAN,
     .default_json = "false",
     .doc = "mode 'replace': True replaces every occurrence."},
    {.name = "mode",
     .default_json = "\"replace\"",
     .choices = patch_modes,
     .doc = "'replace' for one edit of one file, 'patch' for a multi-file patch text."},
    {.name = "patch",
     .nullable = true,
     .default_json = "null",
     .doc = "mode 'patch': V4A text from '*** Begin Patch' to '*** End Patch'."},
    CROSS_PROFILE_PARAM,
    {.name = "fuzzy",
     .default_json = "\"safe\"",
     .choices = patch_fuzz,
     .doc = "How old text may differ from the file: 'exact' not at all, 'safe' in blanks, "
            "indentation, "
            "escapes and typographic characters, 'loose' also by similarity."},
};

static const struct tool_spec patch = {
    .name = "patch",
    .summary =
        "Edit files by find and replace, or apply a multi-file patch as a whole or not at all.",
    PARAMS(patch_params),
    .result_doc =
        "success, diff (unified), files_modified, files_created, files_deleted, strategy, "
        "matched_lines, lint",
    .place = SPEC_LOCAL,
};

/* ---- search ------------------------------------------------------------------------------------
 */

static const char *const search_targets[] = {"content", "files", NULL};
static const struct spec_alias search_target_aliases[] = {
    {"grep", "content"}, {"find", "files"}, {NULL, NULL}};
static const char *const search_modes[] = {"content", "files_only", "count", NULL};
static const char *const search_orders[] = {"discovery", "modified", NULL};

static const struct spec_param search_files_params[] = {
    {.name = "pattern",
     .required = true,
     .doc = "Regular expression for lines, or with target='files' a glob for file names."},
    {.name = "target",
     .default_json = "\"content\"",
     .choices = search_targets,
     .aliases = search_target_aliases,
     .doc = "'content' searches inside files, 'files' searches their names."},
    {.name = "path", .default_json = "\".\"", .doc = "Directory or file to search: " PATH_DOC "."},
    {.name = "file_glob",
     .nullable = true,
     .default_json = "null",
     .doc = "target 'content': only files whose name matches, for example '*.py'."},
    {.name = "limit",
     .type = SPEC_INTEGER,
     .default_json = "50",
     .doc = "Rows to return, at least 1."},
    {.name = "offset", .type = SPEC_INTEGER, .default_json = "0", .doc = "Rows to skip first."},
    {.name = "output_mode",
     .default_json = "\"content\"",
     .choices = search_modes,
     .doc = "target 'content': 'content' returns lines, 'files_only' paths, 'count' matches per "
            "file."},
    {.name = "context",
     .type = SPEC_INTEGER,
     .default_json = "0",
     .doc = "Lines to add before and after each match."},
    {.name = "order",
     .default_json = "\"discovery\"",
     .choices = search_orders,
     .doc = "'modified' puts the most recently changed files first."},
    {.name = "include_hidden",
     .type = SPEC_BOOLEAN,
     .default_json = "false",
     .doc = "Also files and directories whose name begins with a dot."},
    {.name = "include_ignored",
     .type = SPEC_BOOLEAN,
     .default_json = "false",
     .doc = "Also what .gitignore excludes."},
    {.name = "include_dirs",
     .type = SPEC_BOOLEAN,
     .default_json = "false",
     .doc = "target 'files': also directories."},
};

static const struct tool_spec search_files = {
    .name = "search_files",
    .summary = "Search file contents by regular expression, or file names by glob.",
    PARAMS(search_files_params),
    .result_doc =
        "total_count, matches [{path, line, content, kind}] or files [path] or counts {path: "
        "n}, truncated, next_offset, skipped, warning",
    .place = SPEC_LOCAL,
    .flags = SPEC_READ_ONLY | SPEC_PARALLEL_SAFE,
};

/* ---- terminal ----------------------------------------------------------------------------------
 */

static const struct spec_param terminal_params[] = {
    {.name = "command", .required = true, .doc = "Command line for bash."},
    {.name = "timeout",
     .type = SPEC_INTEGER,
     .nullable = true,
     .default_json = "null",
     .doc = "Seconds until the command is stopped, at most 600; None means 180."},
    {.name = "workdir",
     .nullable = true,
     .default_json = "null",
     .doc =
         "Directory to run in; None means where the last command ended, at first the workspace."},
    {.name = "merge_stderr",
     .type = SPEC_BOOLEAN,
     .default_json = "true",
     .doc = "False: stderr comes apart, as the result's stderr key."},
};

static const struct tool_spec terminal = {
    .name = "terminal",
    .summary = "Run a shell command and wait for it; directory and exported variables last until "
               "the script ends.",
    PARAMS(terminal_params),
    .result_doc = "output (stdout and stderr; long ones keep head and tail), exit_code, "
                  "error (None when it ran), exit_code_meaning, timed_out, duration_seconds",
    .place = SPEC_LOCAL,
    .flags = SPEC_PARALLEL_SAFE,
};

/* ---- web ---------------------------------------------------------------------------------------
 */

static const struct spec_param web_search_params[] = {
    {.name = "query", .required = true, .doc = "What to search for."},
    {.name = "limit",
     .type = SPEC_INTEGER,
     .default_json = "5",
     .doc = "Results to return, 1 to 100."},
};

static const struct tool_spec web_search = {
    .name = "web_search",
    .summary = "Search the web.",
    PARAMS(web_search_params),
    .result_doc = "success, data {web: [{title, url, description, position}]}",
    .place = SPEC_BROKER,
    .flags = SPEC_READ_ONLY | SPEC_PARALLEL_SAFE,
};

static const struct spec_param web_extract_params[] = {
    {.name = "urls",
     .type = SPEC_ARRAY,
     .required = true,
     .doc = "List of http or https addresses; the first five are fetched."},
    {.name = "char_limit",
     .type = SPEC_INTEGER,
     .nullable = true,
     .default_json = "null",
     .doc = "Characters to return of each page, 2000 to 500000; None means 15000."},
};

static const struct tool_spec web_extract = {
    .name = "web_extract",
    .summary = "Fetch web pages and return their text as Markdown.",
    PARAMS(web_extract_params),
    .result_doc = "results [{url, title, content, error}] in the order of urls",
    .place = SPEC_BROKER,
    .flags = SPEC_READ_ONLY | SPEC_PARALLEL_SAFE,
};

/* ---- the list ----------------------------------------------------------------------------------
 */

static const struct tool_spec *const builtin[] = {
    &web_search, &web_extract, &read_file, &write_file, &search_files, &patch, &terminal,
};

const struct tool_spec *const *toolset_builtin(size_t *ret_count)
{
    *ret_count = COUNT(builtin);
    return builtin;
}

const struct tool_spec *toolset_builtin_find(const char *name)
{
    for (size_t i = 0; i < COUNT(builtin); i++)
        if (strcmp(builtin[i]->name, name) == 0)
            return builtin[i];
    return NULL;
}

bool toolset_is_forbidden_param(const struct tool_spec *spec, const char *param)
{
    /* What keeps a shell command alive behind the script's back, in older and newer spellings. */
    static const char *const names[] = {
        "background", "pty",       "notify_on_complete", "watch_patterns",
        "notify",     "heartbeat", "persist_on_release",
    };
    if (spec != &terminal) /* an embedder's tool of that name means its own parameters */
        return false;
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(names[i], param) == 0)
            return true;
    return false;
}
