/* SPDX-License-Identifier: MIT
 *
 * Making and freeing the state of a tools process.
 */
#include "tools/state.h"

#include "base/str.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The directory's own name for itself; NULL where /proc is not mounted or the fd is no directory of
 * this mount namespace. */
static char *directory_name(int fd)
{
    char link[64], path[PATH_MAX];
    struct stat by_fd, by_name;
    ssize_t length = 0;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof(path) - 1);
    if (length <= 0 || path[0] != '/') {
        return NULL;
    }
    path[length] = '\0';
    if (fstat(fd, &by_fd) < 0 || stat(path, &by_name) < 0 || by_fd.st_ino != by_name.st_ino ||
        by_fd.st_dev != by_name.st_dev) {
        return NULL;
    }
    return strdup(path);
}

static char *workspace_name(const struct tools_config *config)
{
    char *name = config->workspace_fd >= 0 ? directory_name(config->workspace_fd) : NULL;

    if (name == NULL) {
        name = realpath(config->workspace, NULL);
    }
    return name != NULL ? name : strdup(config->workspace);
}

struct tools_state *tools_state_new(const struct tools_config *config)
{
    struct tools_state *state = calloc(1, sizeof(*state));

    if (state == NULL) {
        return NULL;
    }
    state->workspace_fd = config->workspace_fd;
    state->workspace = workspace_name(config);
    state->shell =
        state->workspace != NULL ? shell_state_new(state->workspace, config->home) : NULL;
    seen_init(&state->seen);
    drain_init(&state->drain);
    pthread_mutex_init(&state->syntax_lock, NULL);
    return state->shell != NULL ? state : tools_state_free(state);
}

struct tools_state *tools_state_free(struct tools_state *state)
{
    if (state != NULL) {
        shell_state_free(state->shell);
        seen_deinit(&state->seen);
        drain_deinit(&state->drain);
        pthread_mutex_destroy(&state->syntax_lock);
        free(state->workspace);
        free(state);
    }
    return NULL;
}
