/* SPDX-License-Identifier: MIT
 *
 * One thread that polls the pipes it was given.
 */
#include "tools/drain.h"

#include "base/fd.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>

#define STACK_BYTES (128u * 1024u)

void drain_init(struct drain *drain)
{
    memset(drain, 0, sizeof(*drain));
    pthread_mutex_init(&drain->lock, NULL);
    drain->wake_fd = -1;
}

/* False at the end of the pipe. */
static bool discard(int fd)
{
    char block[8192];

    for (int i = 0; i < 8; i++) {
        ssize_t n = read(fd, block, sizeof(block));
        if (n <= 0) {
            return n < 0 && (errno == EAGAIN || errno == EINTR);
        }
    }
    return true;
}

/* The pipes of now, with the wake-up first; the count. 0: the thread is to end. */
static size_t drain_list(struct drain *drain, struct pollfd list[DRAIN_PIPES_MAX + 1])
{
    size_t count = 0;

    pthread_mutex_lock(&drain->lock);
    if (!drain->ending) {
        list[count++] = (struct pollfd){.fd = drain->wake_fd, .events = POLLIN};
        for (size_t i = 0; i < drain->count; i++) {
            list[count++] = (struct pollfd){.fd = drain->fds[i], .events = POLLIN};
        }
    }
    pthread_mutex_unlock(&drain->lock);
    return count;
}

static void drain_remove(struct drain *drain, int fd)
{
    pthread_mutex_lock(&drain->lock);
    for (size_t i = 0; i < drain->count; i++) {
        if (drain->fds[i] == fd) {
            drain->fds[i] = drain->fds[--drain->count];
            fd_close(fd);
            break;
        }
    }
    pthread_mutex_unlock(&drain->lock);
}

static void *drain_main(void *user)
{
    struct drain *drain = user;
    struct pollfd list[DRAIN_PIPES_MAX + 1];
    size_t count = 0;

    while ((count = drain_list(drain, list)) > 0) {
        eventfd_t wakes = 0;
        if (poll(list, count, -1) < 0) {
            continue;
        }
        if (list[0].revents != 0) {
            eventfd_read(drain->wake_fd, &wakes);
        }
        for (size_t i = 1; i < count; i++) {
            if (list[i].revents != 0 && !discard(list[i].fd)) {
                drain_remove(drain, list[i].fd);
            }
        }
    }
    return NULL;
}

static int drain_start(struct drain *drain)
{
    pthread_attr_t attributes;
    int r = 0;

    drain->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (drain->wake_fd < 0) {
        return -errno;
    }
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    r = -pthread_create(&drain->thread, &attributes, drain_main, drain);
    pthread_attr_destroy(&attributes);
    if (r < 0) {
        drain->wake_fd = fd_close(drain->wake_fd);
    }
    return r;
}

void drain_add(struct drain *drain, int fd)
{
    pthread_mutex_lock(&drain->lock);
    if (!drain->running) {
        drain->running = drain_start(drain) == 0;
    }
    if (drain->running && drain->count < DRAIN_PIPES_MAX) {
        drain->fds[drain->count++] = fd;
        eventfd_write(drain->wake_fd, 1);
        fd = -1;
    }
    pthread_mutex_unlock(&drain->lock);
    fd_close(fd);
}

void drain_deinit(struct drain *drain)
{
    pthread_mutex_lock(&drain->lock);
    drain->ending = true;
    if (drain->running) {
        eventfd_write(drain->wake_fd, 1);
    }
    pthread_mutex_unlock(&drain->lock);
    if (drain->running) {
        pthread_join(drain->thread, NULL);
    }
    for (size_t i = 0; i < drain->count; i++) {
        fd_close(drain->fds[i]);
    }
    fd_close(drain->wake_fd);
    pthread_mutex_destroy(&drain->lock);
}
