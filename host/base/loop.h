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
struct loop_work;
typedef void (*loop_work_fn)(struct loop_work *work);

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

/* Something that is due without an event and may take long: fn does one small piece of it, and queues
 * it again when there is more. All that is queued takes turns. */
struct loop_work {
    struct loop_work *next;
    loop_work_fn fn;
    void *user;
    bool queued; /* managed by the loop */
};

struct loop_garbage;

struct loop {
    int epoll_fd;
    struct loop_timer **heap; /* 1-based binary heap on deadline_ns */
    size_t heap_length, heap_capacity;
    struct loop_source
        *pending[64]; /* events of the current dispatch; removed sources are zeroed */
    uint32_t pending_events[64];
    int pending_count, pending_next;
    struct loop_work *work_first, *work_last;
    uint64_t stop_ns; /* when the budget of this dispatch is used up (of the last one, outside) */
    struct loop_garbage *garbage; /* loop_garbage.c */
    struct loop_work garbage_work;
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

void loop_work_add(struct loop *loop, struct loop_work *work);    /* goes last; safe when queued */
void loop_work_remove(struct loop *loop, struct loop_work *work); /* safe when not queued */

bool loop_has_budget(const struct loop *loop); /* this dispatch, or the last one */
/* Whether a callback that has more to do should leave the rest for the next dispatch. */
bool loop_out_of_time(const struct loop *loop);

/* free(memory), which has `bytes` bytes, in pieces: to give 64 MiB back takes the kernel 4 ms. At once
 * when there is no budget, or no loop (NULL). */
void loop_free_later(struct loop *loop, void *memory, size_t bytes);
void loop_garbage_flush(struct loop *loop); /* all that waits, now */

int loop_timeout_ms(const struct loop *loop); /* -1 = no timer; rounded up */

/* Waits up to timeout_ms (-1 = as long as needed, 0 = not at all; a timer or work shortens it), then
 * runs what is due: all of it, again and again, until nothing is or budget_ns is used up. Without a
 * budget (0): one round. Returns the number of callbacks run, or negative errno. EINTR counts as
 * nothing due. */
int loop_dispatch(struct loop *loop, int timeout_ms, uint64_t budget_ns);
