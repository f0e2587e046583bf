/* SPDX-License-Identifier: MIT
 *
 * A run's selection of tools.
 */
#include "spec/toolset.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void toolset_deinit(struct toolset *set)
{
    free(set->specs);
    *set = (struct toolset){0};
}

const struct tool_spec *toolset_find(const struct toolset *set, const char *name)
{
    for (size_t i = 0; set && i < set->count; i++)
        if (strcmp(set->specs[i]->name, name) == 0)
            return set->specs[i];
    return NULL;
}

int toolset_add(struct toolset *set, const struct tool_spec *spec)
{
    if (toolset_find(set, spec->name))
        return -EEXIST;
    /* Grows by powers of two, so that a thousand MCP tools are not a thousand copies. */
    if ((set->count & (set->count - 1)) == 0) {
        size_t capacity = set->count > 0 ? set->count * 2 : 1;
        void *specs = reallocarray(set->specs, capacity, sizeof(const struct tool_spec *));
        if (!specs)
            return -ENOMEM;
        set->specs = specs;
    }
    set->specs[set->count++] = spec;
    return 0;
}

/* A tool that is in the set already is no error here: lists may name it twice. */
static int add_once(struct toolset *set, const struct tool_spec *spec)
{
    int r = toolset_add(set, spec);
    return r == -EEXIST ? 0 : r;
}

static int add_all(struct toolset *set, const struct toolset *extra)
{
    size_t count;
    const struct tool_spec *const *builtin = toolset_builtin(&count);
    int r = 0;

    for (size_t i = 0; i < count && r == 0; i++)
        r = add_once(set, builtin[i]);
    for (size_t i = 0; extra && i < extra->count && r == 0; i++)
        r = add_once(set, extra->specs[i]);
    return r;
}

static int name_refuse(const char *name, const struct toolset *extra, struct err *err)
{
    struct toolset all = {0};
    _cleanup_buf_ struct buf list = BUF_INIT(ERR_TEXT_BYTES);
    const char *nearest = NULL;
    const char **names = NULL;

    if (add_all(&all, extra) == 0)
        names = calloc(all.count, sizeof(*names));
    for (size_t i = 0; names && i < all.count; i++)
        names[i] = all.specs[i]->name;
    if (names)
        nearest = str_nearest(name, names, all.count);
    free(names);
    if (!nearest)
        (void)toolset_append_names(&list, &all); /* advice; without memory it is left out */
    toolset_deinit(&all);

    if (nearest)
        return err_set(err, -EINVAL, "there is no tool '%s'; did you mean '%s'?", name, nearest);
    return err_set(err, -EINVAL, "there is no tool '%s'; there are %.*s", name, (int)list.length,
                   list.data ? (const char *)list.data : "others");
}

static int add_named(struct toolset *set, const char *name, const struct toolset *extra,
                     struct err *err)
{
    const struct tool_spec *spec = toolset_builtin_find(name);
    int r;

    if (strcmp(name, "all") == 0) {
        r = add_all(set, extra);
    } else {
        if (!spec)
            spec = toolset_find(extra, name);
        if (!spec)
            return name_refuse(name, extra, err);
        r = add_once(set, spec);
    }
    return r < 0 ? err_set(err, r, "no memory") : 0;
}

static char *blanks_trim(char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

/* Edits list. */
static int list_select(struct toolset *set, char *list, const struct toolset *extra,
                       struct err *err)
{
    bool none = false;
    char *name;

    while ((name = strsep(&list, ","))) {
        name = blanks_trim(name);
        if (*name == '\0')
            continue;
        if (strcmp(name, "none") == 0) {
            none = true;
            continue;
        }
        int r = add_named(set, name, extra, err);
        if (r < 0)
            return r;
    }
    if (none && set->count > 0)
        return err_set(err, -EINVAL, "'none' cannot stand beside names of tools");
    return 0;
}

int toolset_select(struct toolset *set, const char *list, const struct toolset *extra,
                   struct err *err)
{
    _cleanup_free_ char *copy = strdup(list ? list : "");

    *set = (struct toolset){0};
    if (!copy)
        return err_set(err, -ENOMEM, "no memory");
    int r = list_select(set, copy, extra, err);
    if (r < 0)
        toolset_deinit(set);
    return r;
}

int toolset_append_names(struct buf *buf, const struct toolset *set)
{
    int r = set->count == 0 ? buf_append_text(buf, "none") : 0;

    for (size_t i = 0; i < set->count && r == 0; i++) {
        const char *separator = i == 0 ? "" : i + 1 == set->count ? " and " : ", ";
        r = buf_append_format(buf, "%s%s", separator, set->specs[i]->name);
    }
    return r;
}
