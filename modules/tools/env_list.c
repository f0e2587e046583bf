/* SPDX-License-Identifier: MIT
 *
 * A small environment list. Linear search: some fifty entries, a few times per shell command.
 */
#include "tools/env_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void env_list_deinit(struct env_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free(list->items);
    *list = (struct env_list){0};
}

size_t env_name_length(const char *entry)
{
    return strcspn(entry, "=");
}

bool env_name_is_identifier(const char *name, size_t length)
{
    if (length == 0 || isdigit((unsigned char)name[0])) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)name[i]) && name[i] != '_') {
            return false;
        }
    }
    return true;
}

static size_t env_list_index(const struct env_list *list, const char *name, size_t length)
{
    size_t i = 0;

    while (i < list->count &&
           !(strncmp(list->items[i], name, length) == 0 && list->items[i][length] == '=')) {
        i++;
    }
    return i;
}

const char *env_list_find(const struct env_list *list, const char *name, size_t name_length)
{
    size_t i = env_list_index(list, name, name_length);

    return i < list->count ? list->items[i] : NULL;
}

int env_list_set(struct env_list *list, const char *entry)
{
    size_t i = env_list_index(list, entry, env_name_length(entry));
    char *copy = strdup(entry);
    char **grown = NULL;

    if (copy == NULL) {
        return -ENOMEM;
    }
    if (i < list->count) {
        free(list->items[i]);
        list->items[i] = copy;
        return 0;
    }
    grown = realloc(list->items, (list->count + 2) * sizeof(*grown));
    if (grown == NULL) {
        free(copy);
        return -ENOMEM;
    }
    list->items = grown;
    grown[list->count++] = copy;
    grown[list->count] = NULL;
    return 0;
}

void env_list_remove(struct env_list *list, const char *name, size_t name_length)
{
    size_t i = env_list_index(list, name, name_length);

    if (i < list->count) {
        free(list->items[i]);
        memmove(&list->items[i], &list->items[i + 1],
                (list->count - i) * sizeof(*list->items)); /* with the NULL */
        list->count--;
    }
}

int env_list_copy(const struct env_list *list, struct env_list *ret_copy)
{
    *ret_copy = (struct env_list){0};
    for (size_t i = 0; i < list->count; i++) {
        int r = env_list_set(ret_copy, list->items[i]);
        if (r < 0) {
            env_list_deinit(ret_copy);
            return r;
        }
    }
    return 0;
}

size_t env_list_bytes(const struct env_list *list)
{
    size_t bytes = 0;

    for (size_t i = 0; i < list->count; i++) {
        bytes += strlen(list->items[i]) + 1;
    }
    return bytes;
}
