/* SPDX-License-Identifier: MIT
 *
 * An environment as execve takes it: "NAME=value" strings, a NULL at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct env_list {
    char **items; /* NULL-terminated; NULL while empty */
    size_t count;
};

void env_list_deinit(struct env_list *list);

/* The whole "NAME=value" entry, or NULL. */
const char *env_list_find(const struct env_list *list, const char *name, size_t name_length);

int env_list_set(struct env_list *list, const char *entry); /* 0 or -ENOMEM; replaces the name's */
void env_list_remove(struct env_list *list, const char *name, size_t name_length);
int env_list_copy(const struct env_list *list, struct env_list *ret_copy); /* 0 or -ENOMEM */
size_t env_list_bytes(const struct env_list *list);

/* Length of the name in front of '='; the whole length without one. */
size_t env_name_length(const char *entry);

/* True when a shell could have this variable: letters, digits, '_', no digit first. */
bool env_name_is_identifier(const char *name, size_t length);
