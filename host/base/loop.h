/* SPDX-License-Identifier: MIT
 *
 * A small event loop over epoll with a timer heap, meant to be driven by somebody else's loop: one
 * pollable fd, a timeout, and a dispatch that never blocks unless asked to. Not thread safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop_source;
struct loop_timer;
typedef void (*loop_source_fn)(struct loop_source *source, uint32_t events);
typedef void (*loop_timer_fn)(struct loop_timer *timer);

/* Embedded in the object that owns it; container_of style access through `user`. */
struct loop_source {
    int fd; /* borrowed: the owner removes the source, then closes the fd */
    uint32_t events;
    loop_source_fn fn;
    void *user;
    bool added; /* managed by the loop */
};

struct loop_timer {
    uint64_t deadline_ns;
    loop_timer_fn fn;
    void *user;
    size_t heap_index; /* 0 = not armed; managed by the loop */
};

struct loop {
    int epoll_fd;
    struct loop_timer **heap; /* 1-based binary heap on deadline_ns */
    size_t heap_length, heap_capacity;
    struct loop_source
        *pending[64]; /* events of the current dispatch; removed sources are zeroed */
    uint32_t pending_events[64];
    int pending_count, pending_next;
};

int loop_init(struct loop *loop);    /* 0 or negative errno */
void loop_deinit(struct loop *loop); /* disarms what is still armed: timers must be alive here */

int loop_add(struct loop *loop, struct loop_source *source); /* 0 or negative errno */
int loop_set_events(struct loop *loop, struct loop_source *source, uint32_t events);
void loop_remove(struct loop *loop,
                 struct loop_source *source); /* safe inside callbacks, and twice */

/* Makes room, so that arming does not fail while no more than count timers are armed. 0, -ENOMEM. */
int loop_reserve(struct loop *loop, size_t count);
int loop_arm(struct loop *loop, struct loop_timer *timer,
             uint64_t deadline_ns);                            /* re-arming moves it */
void loop_disarm(struct loop *loop, struct loop_timer *timer); /* safe when not armed */

int loop_timeout_ms(const struct loop *loop); /* -1 = no timer; rounded up */

/* Waits up to timeout_ms (-1 = as long as needed, 0 = not at all; a timer shortens it), then runs
 * what is due until budget_ns is used up (0 = no budget). Returns the number of callbacks run, or
 * negative errno. EINTR counts as nothing due. */
int loop_dispatch(struct loop *loop, int timeout_ms, uint64_t budget_ns);
