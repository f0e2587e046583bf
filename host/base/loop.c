/* SPDX-License-Identifier: MIT
 *
 * The event loop. A dispatch takes one batch of events from epoll; what the budget leaves over
 * stays in the loop and goes first next time, before epoll is asked again.
 */
#include "base/loop.h"

#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define PENDING_MAX ((int)(sizeof(((struct loop *)0)->pending) / sizeof(struct loop_source *)))

int loop_init(struct loop *loop)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    fd = fd < 0 ? -errno : fd_above_stdio(fd);
    *loop = (struct loop){.epoll_fd = fd < 0 ? -1 : fd, .stop_ns = UINT64_MAX};
    return fd < 0 ? fd : 0;
}

void loop_deinit(struct loop *loop)
{
    loop_garbage_flush(loop);
    for (size_t i = 1; i <= loop->heap_length; i++)
        loop->heap[i]->heap_index = 0;
    free(loop->heap);
    fd_close(loop->epoll_fd);
    *loop = (struct loop){.epoll_fd = -1};
}

static int source_control(struct loop *loop, int operation, struct loop_source *source)
{
    struct epoll_event event = {.events = source->events, .data.ptr = source};
    return epoll_ctl(loop->epoll_fd, operation, source->fd, &event) < 0 ? -errno : 0;
}

int loop_add(struct loop *loop, struct loop_source *source)
{
    if (source->added)
        return -EEXIST;
    int rc = source_control(loop, EPOLL_CTL_ADD, source);
    source->added = rc == 0;
    return rc;
}

/* Keeps of an event that waits only what `events` still asks for; 0 drops it. */
static void pending_mask(struct loop *loop, const struct loop_source *source, uint32_t events)
{
    for (int i = loop->pending_next; i < loop->pending_count; i++) {
        if (loop->pending[i] != source)
            continue;
        loop->pending_events[i] &= events;
        if (!loop->pending_events[i])
            loop->pending[i] = NULL;
    }
}

int loop_set_events(struct loop *loop, struct loop_source *source, uint32_t events)
{
    if (!source->added)
        return -ENOENT;
    if (source->events == events)
        return 0;
    uint32_t before = source->events;
    source->events = events;
    int rc = source_control(loop, EPOLL_CTL_MOD, source);
    if (rc < 0)
        source->events = before;
    else
        pending_mask(loop, source, events | EPOLLERR | EPOLLHUP);
    return rc;
}

void loop_remove(struct loop *loop, struct loop_source *source)
{
    if (!source->added)
        return;
    source->added = false;
    source_control(loop, EPOLL_CTL_DEL, source);
    pending_mask(loop, source, 0);
}

static void heap_place(struct loop *loop, size_t index, struct loop_timer *timer)
{
    loop->heap[index] = timer;
    timer->heap_index = index;
}

static void heap_sift_up(struct loop *loop, size_t index, struct loop_timer *timer)
{
    for (; index > 1 && loop->heap[index / 2]->deadline_ns > timer->deadline_ns; index /= 2)
        heap_place(loop, index, loop->heap[index / 2]);
    heap_place(loop, index, timer);
}

static void heap_sift_down(struct loop *loop, size_t index, struct loop_timer *timer)
{
    for (size_t child; (child = index * 2) <= loop->heap_length; index = child) {
        if (child < loop->heap_length &&
            loop->heap[child + 1]->deadline_ns < loop->heap[child]->deadline_ns)
            child++;
        if (loop->heap[child]->deadline_ns >= timer->deadline_ns)
            break;
        heap_place(loop, index, loop->heap[child]);
    }
    heap_place(loop, index, timer);
}

static void heap_settle(struct loop *loop, size_t index, struct loop_timer *timer)
{
    if (index > 1 && loop->heap[index / 2]->deadline_ns > timer->deadline_ns)
        heap_sift_up(loop, index, timer);
    else
        heap_sift_down(loop, index, timer);
}

int loop_reserve(struct loop *loop, size_t count)
{
    if (count < loop->heap_capacity) /* the heap begins at 1 */
        return 0;
    size_t capacity = loop->heap_capacity ? loop->heap_capacity : 16;
    while (capacity <= count)
        capacity *= 2;
    struct loop_timer **heap = realloc(loop->heap, capacity * sizeof(*heap));
    if (!heap)
        return -ENOMEM;
    loop->heap = heap;
    loop->heap_capacity = capacity;
    return 0;
}

int loop_arm(struct loop *loop, struct loop_timer *timer, uint64_t deadline_ns)
{
    size_t index = timer->heap_index;
    if (!index) {
        int rc = loop_reserve(loop, loop->heap_length + 1);
        if (rc < 0)
            return rc;
        index = ++loop->heap_length;
    }
    timer->deadline_ns = deadline_ns;
    heap_settle(loop, index, timer);
    return 0;
}

void loop_disarm(struct loop *loop, struct loop_timer *timer)
{
    size_t index = timer->heap_index;
    if (!index)
        return;
    struct loop_timer *last = loop->heap[loop->heap_length--];
    timer->heap_index = 0;
    if (last != timer)
        heap_settle(loop, index, last);
}

void loop_work_add(struct loop *loop, struct loop_work *work)
{
    if (work->queued)
        return;
    work->queued = true;
    work->next = NULL;
    if (loop->work_first)
        loop->work_last->next = work;
    else
        loop->work_first = work;
    loop->work_last = work;
}

void loop_work_remove(struct loop *loop, struct loop_work *work)
{
    struct loop_work **link = &loop->work_first, *before = NULL;
    if (!work->queued)
        return;
    for (; *link != work; link = &(*link)->next)
        before = *link;
    *link = work->next;
    if (loop->work_last == work)
        loop->work_last = before;
    work->queued = false;
}

bool loop_has_budget(const struct loop *loop)
{
    return loop->stop_ns != UINT64_MAX;
}

bool loop_out_of_time(const struct loop *loop)
{
    return loop_has_budget(loop) && clock_now_ns() >= loop->stop_ns;
}

static bool pending_any(const struct loop *loop)
{
    for (int i = loop->pending_next; i < loop->pending_count; i++) {
        if (loop->pending[i])
            return true;
    }
    return false;
}

int loop_timeout_ms(const struct loop *loop)
{
    if (loop->work_first || pending_any(loop))
        return 0;
    if (!loop->heap_length)
        return -1;
    uint64_t now = clock_now_ns(), deadline = loop->heap[1]->deadline_ns;
    if (deadline <= now)
        return 0;
    uint64_t ms = (deadline - now - 1) / NS_PER_MS + 1;
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

/* Fills the pending list when nothing of it is left. 0 or negative errno. */
static int pending_wait(struct loop *loop, int timeout_ms)
{
    if (pending_any(loop))
        return 0;
    struct epoll_event events[PENDING_MAX];
    loop->pending_next = loop->pending_count = 0;
    int due_ms = loop_timeout_ms(loop);
    if (due_ms >= 0 && (timeout_ms < 0 || due_ms < timeout_ms))
        timeout_ms = due_ms;
    int count = epoll_wait(loop->epoll_fd, events, PENDING_MAX, timeout_ms);
    if (count < 0)
        return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        loop->pending[i] = events[i].data.ptr;
        loop->pending_events[i] = events[i].events;
    }
    loop->pending_count = count;
    return 0;
}

/* One round: a timer that its callback arms again for the past waits for the next one. */
static int timers_run(struct loop *loop)
{
    uint64_t now = clock_now_ns();
    int run = 0;
    for (size_t most = loop->heap_length; most > 0 && loop->heap_length > 0; most--) {
        struct loop_timer *timer = loop->heap[1];
        if (timer->deadline_ns > now || (run > 0 && loop_out_of_time(loop)))
            break;
        loop_disarm(loop, timer);
        timer->fn(timer);
        run++;
    }
    return run;
}

static int sources_run(struct loop *loop)
{
    int run = 0;
    while (loop->pending_next < loop->pending_count) {
        if (run > 0 && loop_out_of_time(loop))
            break;
        int i = loop->pending_next++;
        struct loop_source *source = loop->pending[i];
        if (!source)
            continue;
        loop->pending[i] = NULL;
        source->fn(source, loop->pending_events[i]);
        run++;
    }
    return run;
}

/* One round: work that queues itself again waits for the next one. */
static int work_run(struct loop *loop)
{
    int run = 0, most = 0;
    for (struct loop_work *work = loop->work_first; work; work = work->next)
        most++;
    while (run < most && loop->work_first && !(run > 0 && loop_out_of_time(loop))) {
        struct loop_work *work = loop->work_first;
        loop_work_remove(loop, work);
        work->fn(work);
        run++;
    }
    return run;
}

/* At least one timer, one source and one piece of work, so that none starves the others. */
static int round_run(struct loop *loop)
{
    int timers = timers_run(loop);
    int sources = sources_run(loop);
    return timers + sources + work_run(loop);
}

int loop_dispatch(struct loop *loop, int timeout_ms, uint64_t budget_ns)
{
    int rc = pending_wait(loop, timeout_ms);
    if (rc < 0)
        return rc;
    loop->stop_ns = budget_ns ? clock_now_ns() + budget_ns : UINT64_MAX;
    int total = 0, run;
    do {
        run = round_run(loop);
        total += run;
    } while (budget_ns && run > 0 && !loop_out_of_time(loop) && pending_wait(loop, 0) == 0);
    return total;
}
