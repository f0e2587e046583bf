/* SPDX-License-Identifier: MIT
 *
 * Snapshot and update of what lasts between shells.
 */
#include "tools/shell_state.h"

#include "base/str.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

struct shell_state {
    pthread_mutex_t lock;
    struct shell_snapshot now;
};

/* Set by each shell itself, or by us for each call. */
static bool is_transient(const char *entry)
{
    static const char *const names[] = {"PWD", "SHLVL", "_"};
    size_t length = env_name_length(entry);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strlen(names[i]) == length && memcmp(names[i], entry, length) == 0) {
            return true;
        }
    }
    return false;
}

static int set_default(struct env_list *env, const char *entry)
{
    return env_list_find(env, entry, env_name_length(entry)) != NULL ? 0 : env_list_set(env, entry);
}

static int first_environment(struct env_list *env, const char *home)
{
    _cleanup_free_ char *home_entry = home != NULL ? str_format("HOME=%s", home) : NULL;
    int r = 0;

    for (char **entry = environ; r == 0 && entry != NULL && *entry != NULL; entry++) {
        if (!is_transient(*entry) && strchr(*entry, '=') != NULL) {
            r = env_list_set(env, *entry);
        }
    }
    if (r == 0) { /* a pager would wait for a key that nobody presses */
        r = env_list_set(env, "PAGER=cat");
    }
    if (r == 0) {
        r = env_list_set(env, "GIT_PAGER=cat");
    }
    if (r == 0) {
        r = set_default(env, "PATH=/usr/local/bin:/usr/bin:/bin");
    }
    return r == 0 && home_entry != NULL ? set_default(env, home_entry) : r;
}

struct shell_state *shell_state_new(const char *directory, const char *home)
{
    struct shell_state *state = calloc(1, sizeof(*state));

    if (state == NULL) {
        return NULL;
    }
    pthread_mutex_init(&state->lock, NULL);
    state->now.directory = strdup(directory);
    state->now.prologue = strdup("");
    if (state->now.directory == NULL || state->now.prologue == NULL ||
        first_environment(&state->now.env, home) < 0) {
        return shell_state_free(state);
    }
    return state;
}

struct shell_state *shell_state_free(struct shell_state *state)
{
    if (state != NULL) {
        shell_snapshot_deinit(&state->now);
        pthread_mutex_destroy(&state->lock);
        free(state);
    }
    return NULL;
}

void shell_snapshot_deinit(struct shell_snapshot *snapshot)
{
    free(snapshot->directory);
    free(snapshot->prologue);
    env_list_deinit(&snapshot->env);
    *snapshot = (struct shell_snapshot){0};
}

int shell_state_snapshot(struct shell_state *state, struct shell_snapshot *ret_snapshot)
{
    int r = 0;

    *ret_snapshot = (struct shell_snapshot){0};
    pthread_mutex_lock(&state->lock);
    ret_snapshot->directory = strdup(state->now.directory);
    ret_snapshot->prologue = strdup(state->now.prologue);
    r = env_list_copy(&state->now.env, &ret_snapshot->env);
    pthread_mutex_unlock(&state->lock);
    if (r < 0 || ret_snapshot->directory == NULL || ret_snapshot->prologue == NULL) {
        shell_snapshot_deinit(ret_snapshot);
        return -ENOMEM;
    }
    return 0;
}

/* Splits the record; false when it is not complete. */
static bool record_fields(const char *record, size_t length, const char *fields[5])
{
    const char *end = record + length;

    for (int i = 0; i < 5; i++) {
        const char *nul = record < end ? memchr(record, 0, (size_t)(end - record)) : NULL;
        if (nul == NULL) {
            return false;
        }
        fields[i] = record;
        record = nul + 1;
    }
    return strcmp(fields[4], ".") == 0;
}

static void apply_env(struct env_list *now, const struct env_list *start,
                      const struct env_list *end)
{
    for (size_t i = 0; i < end->count; i++) {
        const char *entry = end->items[i];
        const char *old = env_list_find(start, entry, env_name_length(entry));
        if (!is_transient(entry) && !str_equal(entry, old) &&
            env_list_bytes(now) + strlen(entry) < SHELL_ENV_BYTES_MAX) {
            env_list_set(now, entry);
        }
    }
    for (size_t i = 0; i < start->count; i++) {
        const char *entry = start->items[i];
        size_t name = env_name_length(entry);
        /* Names that are no identifiers (FOO.BAR) pass through bash unseen. */
        if (env_name_is_identifier(entry, name) && env_list_find(end, entry, name) == NULL) {
            env_list_remove(now, entry, name);
        }
    }
}

static void replace_text(char **slot, const char *text)
{
    char *copy = strdup(text);

    if (copy != NULL) {
        free(*slot);
        *slot = copy;
    }
}

void shell_state_apply(struct shell_state *state, const struct shell_snapshot *start,
                       const char *record, size_t length, int keep_directory)
{
    const char *fields[5];
    struct env_list env __attribute__((cleanup(env_list_deinit))) = {0};
    _cleanup_free_ char *prologue = NULL;

    if (!record_fields(record, length, fields) || shell_parse_exports(fields[1], &env) < 0) {
        return;
    }
    prologue = str_format("%s%s", fields[2], fields[3]);
    pthread_mutex_lock(&state->lock);
    apply_env(&state->now.env, &start->env, &env);
    if (!keep_directory && fields[0][0] == '/' && strcmp(fields[0], start->directory) != 0) {
        replace_text(&state->now.directory, fields[0]);
    }
    if (prologue != NULL && strlen(prologue) <= SHELL_PROLOGUE_BYTES_MAX &&
        strcmp(prologue, start->prologue) != 0) {
        replace_text(&state->now.prologue, prologue);
    }
    pthread_mutex_unlock(&state->lock);
}
