/* SPDX-License-Identifier: MIT
 *
 * The table behind the "changed on disk since it was read" warning: inode, size and mtime with
 * nanoseconds, because seconds alone miss two writes in one second.
 */
#include "tools/seen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct seen_file {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec mtime;
    char path[];
};

void seen_init(struct seen *seen)
{
    memset(seen, 0, sizeof(*seen));
    pthread_mutex_init(&seen->lock, NULL);
}

void seen_deinit(struct seen *seen)
{
    for (size_t i = 0; i < SEEN_MAX; i++) {
        free(seen->files[i]);
    }
    pthread_mutex_destroy(&seen->lock);
}

static size_t seen_find(const struct seen *seen, const char *path)
{
    size_t i = 0;

    while (i < SEEN_MAX && (seen->files[i] == NULL || strcmp(seen->files[i]->path, path) != 0)) {
        i++;
    }
    return i;
}

static void seen_fill(struct seen_file *file, const struct stat *status)
{
    file->device = status->st_dev;
    file->inode = status->st_ino;
    file->size = status->st_size;
    file->mtime = status->st_mtim;
}

void seen_note(struct seen *seen, const char *path, const struct stat *status)
{
    size_t length = strlen(path) + 1;
    size_t i = 0;

    pthread_mutex_lock(&seen->lock);
    i = seen_find(seen, path);
    if (i == SEEN_MAX) {
        struct seen_file *file = malloc(sizeof(*file) + length);
        if (file != NULL) {
            memcpy(file->path, path, length);
            i = seen->next;
            seen->next = (seen->next + 1) % SEEN_MAX;
            free(seen->files[i]);
            seen->files[i] = file;
        }
    }
    if (i < SEEN_MAX) {
        seen_fill(seen->files[i], status);
    }
    pthread_mutex_unlock(&seen->lock);
}

bool seen_is_stale(struct seen *seen, const char *path, const struct stat *status)
{
    bool stale = false;
    size_t i = 0;

    pthread_mutex_lock(&seen->lock);
    i = seen_find(seen, path);
    if (i < SEEN_MAX) {
        const struct seen_file *file = seen->files[i];
        stale = file->device != status->st_dev || file->inode != status->st_ino ||
                file->size != status->st_size || file->mtime.tv_sec != status->st_mtim.tv_sec ||
                file->mtime.tv_nsec != status->st_mtim.tv_nsec;
    }
    pthread_mutex_unlock(&seen->lock);
    return stale;
}
