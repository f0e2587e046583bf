/* SPDX-License-Identifier: MIT
 *
 * Paths of the embedded interpreter (set when the project is configured), the modules that a warm
 * zygote has imported, and the environment of every run.
 */
#include "run/python_env.h"

#include "base/buf.h"
#include "base/str.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Set by CMake from the distribution's own interpreter; never looked up on PATH. */
#define STDLIB PTC_PYTHON_PREFIX "/lib/python" PTC_PYTHON_VERSION

static const char *const STDLIB_PATHS[] = {
    STDLIB,
    STDLIB "/lib-dynload",
};

static const char *const PACKAGE_PATHS[] = {
    "/usr/local/lib/python" PTC_PYTHON_VERSION "/dist-packages",
    PTC_PYTHON_PREFIX "/lib/python3/dist-packages",
};

/* What model-written scripts import most. They cost a cold start 40 ms, and a warm run nothing. */
static const char *const COMMON_MODULES[] = {
    "argparse",    "ast",          "asyncio",     "base64",
    "bisect",      "calendar",     "collections", "concurrent.futures",
    "contextlib",  "copy",         "csv",         "dataclasses",
    "datetime",    "decimal",      "difflib",     "enum",
    "fnmatch",     "fractions",    "functools",   "glob",
    "hashlib",     "heapq",        "html",        "inspect",
    "io",          "itertools",    "json",        "logging",
    "math",        "operator",     "os",          "pathlib",
    "pprint",      "queue",        "random",      "re",
    "shlex",       "shutil",       "statistics",  "string",
    "struct",      "subprocess",   "tempfile",    "textwrap",
    "threading",   "time",         "traceback",   "typing",
    "unicodedata", "urllib.parse", "uuid",        "zipfile",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *const *python_env_environ(void)
{
    static const char *const ENVIRON[] = {
        "PATH=/usr/local/bin:/usr/bin:/bin",
        "LANG=C.UTF-8",
        "LC_ALL=C.UTF-8",
        "TERM=dumb",
        "SHELL=/bin/bash",
        "USER=user",
        "LOGNAME=user",
        "HOME=/tmp/home", /* of a run with a /tmp of its own; others are told */
        "TMPDIR=/tmp",
        "PYTHONUTF8=1",
        "PYTHONIOENCODING=utf-8",
        "PYTHONDONTWRITEBYTECODE=1",
        "MPLBACKEND=Agg", /* plt.show() would wait for a window that never comes */
        NULL,
    };

    return ENVIRON;
}

static json_t *path_list(const struct policy *policy)
{
    json_t *list = json_array();

    for (size_t i = 0; i < COUNT(STDLIB_PATHS); i++)
        json_add(&list, json_string(STDLIB_PATHS[i]));
    if (policy->profile != POLICY_STRICT)
        for (size_t i = 0; i < COUNT(PACKAGE_PATHS); i++)
            json_add(&list, json_string(PACKAGE_PATHS[i]));
    return list;
}

static json_t *preload_list(const struct policy *policy)
{
    json_t *list = json_array();

    if (!policy->cold)
        for (size_t i = 0; i < COUNT(COMMON_MODULES); i++)
            json_add(&list, json_string(COMMON_MODULES[i]));
    for (size_t i = 0; i < policy->preload.count; i++)
        json_add(&list, json_string(policy->preload.items[i]));
    return list;
}

json_t *python_env_setup(const struct policy *policy)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:b}", "executable", PTC_PYTHON_EXECUTABLE, "prefix",
                     PTC_PYTHON_PREFIX, "search_paths", path_list(policy), "preload",
                     preload_list(policy), "cold", policy->cold);
}

char *python_env_key(const struct policy *policy)
{
    _cleanup_buf_ struct buf key = BUF_INIT(0);
    int r =
        buf_append_format(&key, "%s%s", policy->profile == POLICY_STRICT ? "stdlib" : "packages",
                          policy->cold ? " cold" : "");

    for (size_t i = 0; r == 0 && i < policy->preload.count; i++)
        r = buf_append_format(&key, "\n%s", policy->preload.items[i]);
    return r < 0 ? NULL : buf_steal_text(&key, NULL);
}

/* ---- what is installed, for the hint after a ModuleNotFoundError ---- */

struct names {
    char **items;
    size_t count, capacity;
};

static void names_add(struct names *names, const char *name, size_t length)
{
    if (names->count == names->capacity) {
        size_t capacity = names->capacity ? names->capacity * 2 : 64;
        char **items = realloc(names->items, capacity * sizeof *items);

        if (!items)
            return;
        names->items = items;
        names->capacity = capacity;
    }
    names->items[names->count] = strndup(name, length);
    if (names->items[names->count])
        names->count++;
}

/* A package directory or a single-file module; metadata, caches and private names are not. */
static void names_add_entry(struct names *names, const char *directory, const char *entry)
{
    size_t length = strcspn(entry, ".-");
    char init[4096];

    if (entry[0] == '.' || entry[0] == '_' || length == 0)
        return;
    if (str_equal(entry + length, ".py") || (entry[length] == '.' && strstr(entry, ".so"))) {
        names_add(names, entry, length);
        return;
    }
    if (entry[length] != '\0')
        return;
    snprintf(init, sizeof init, "%s/%s/__init__.py", directory, entry);
    if (access(init, F_OK) == 0)
        names_add(names, entry, length);
}

static void names_scan(struct names *names, const char *directory)
{
    DIR *dir = opendir(directory);
    struct dirent *entry;

    if (!dir)
        return;
    while ((entry = readdir(dir)))
        names_add_entry(names, directory, entry->d_name);
    closedir(dir);
}

static int names_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A package may be there twice: in both directories, or as py.py beside py/. */
static void names_sort(struct names *names)
{
    size_t kept = 0;

    if (names->count)
        qsort(names->items, names->count, sizeof *names->items, names_compare);
    for (size_t i = 0; i < names->count; i++) {
        if (kept && str_equal(names->items[kept - 1], names->items[i]))
            free(names->items[i]);
        else
            names->items[kept++] = names->items[i];
    }
    names->count = kept;
}

char *python_env_installed(const struct policy *policy, size_t max)
{
    _cleanup_buf_ struct buf text = BUF_INIT(0);
    struct names names = {0};
    int r = 0;

    if (policy->profile != POLICY_STRICT)
        for (size_t i = 0; i < COUNT(PACKAGE_PATHS); i++)
            names_scan(&names, PACKAGE_PATHS[i]);
    names_sort(&names);
    for (size_t i = 0; i < names.count; i++) {
        if (r == 0 && i < max)
            r = buf_append_format(&text, "%s%s", i ? ", " : "", names.items[i]);
        free(names.items[i]);
    }
    if (r == 0 && names.count > max)
        r = buf_append_format(&text, " and %zu more", names.count - max);
    free(names.items);
    return r == 0 && text.length ? buf_steal_text(&text, NULL) : NULL;
}
