/* SPDX-License-Identifier: MIT
 *
 * The event loop: order of timers, removal from inside callbacks, the budget, nobody starves.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "base/loop.h"
#include "fault.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

struct fixture {
    struct loop loop;
    int fired;
    int order[4096];
    struct loop_source *victim;      /* removed by the next callback */
    struct loop_timer *timer_victim; /* disarmed by the next callback */
    uint64_t spend_ns;               /* how long a callback takes */
    int again;                       /* how often a timer arms itself again, for the past */
};

struct pipe_source {
    struct loop_source source;
    int write_fd;
    int number;
    struct fixture *fixture;
    uint32_t events_seen;
};

struct numbered_timer {
    struct loop_timer timer;
    int number;
    struct fixture *fixture;
};

static void spend(uint64_t ns)
{
    for (uint64_t end = clock_now_ns() + ns; ns && clock_now_ns() < end;)
        continue;
}

static void note(struct fixture *f, int number)
{
    f->order[f->fired++ % (int)COUNT(f->order)] = number;
    spend(f->spend_ns);
    if (f->victim)
        loop_remove(&f->loop, f->victim);
    f->victim = NULL;
    if (f->timer_victim)
        loop_disarm(&f->loop, f->timer_victim);
    f->timer_victim = NULL;
}

static void on_source(struct loop_source *source, uint32_t events)
{
    struct pipe_source *pipe_source = source->user;
    pipe_source->events_seen = events;
    note(pipe_source->fixture, pipe_source->number);
}

static void on_timer(struct loop_timer *timer)
{
    struct numbered_timer *numbered = timer->user;
    assert_int_equal(timer->heap_index, 0);
    note(numbered->fixture, numbered->number);
    if (numbered->fixture->again > 0) {
        numbered->fixture->again--;
        loop_arm(&numbered->fixture->loop, timer, 1);
    }
}

static void source_open(struct fixture *f, struct pipe_source *source, int number, bool readable)
{
    int pair[2];
    assert_int_equal(pipe2(pair, O_CLOEXEC | O_NONBLOCK), 0);
    *source = (struct pipe_source){
        .source = {.fd = pair[0], .events = EPOLLIN, .fn = on_source, .user = source},
        .write_fd = pair[1],
        .number = number,
        .fixture = f,
    };
    if (readable)
        assert_int_equal(write(pair[1], "x", 1), 1);
    assert_int_equal(loop_add(&f->loop, &source->source), 0);
}

static void source_close(struct fixture *f, struct pipe_source *source)
{
    loop_remove(&f->loop, &source->source);
    loop_remove(&f->loop, &source->source); /* twice is fine */
    fd_close(source->source.fd);
    fd_close(source->write_fd);
}

static void timer_init(struct fixture *f, struct numbered_timer *timer, int number)
{
    *timer = (struct numbered_timer){
        .timer = {.fn = on_timer, .user = timer}, .number = number, .fixture = f};
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    *state = f;
    return f ? loop_init(&f->loop) : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    loop_deinit(&f->loop);
    free(f);
    return 0;
}

static void test_empty(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(loop_timeout_ms(&f->loop), -1);
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 0);
    assert_int_equal(loop_dispatch(&f->loop, 1, 0), 0);
    assert_int_equal(fcntl(f->loop.epoll_fd, F_GETFD), FD_CLOEXEC);
}

static void test_source_fires_and_the_loop_fd_is_pollable(void **state)
{
    struct fixture *f = *state;
    struct pipe_source source;
    source_open(f, &source, 1, false);
    struct pollfd poll_fd = {.fd = f->loop.epoll_fd, .events = POLLIN};
    assert_int_equal(poll(&poll_fd, 1, 0), 0);
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 0);
    assert_int_equal(write(source.write_fd, "x", 1), 1);
    assert_int_equal(poll(&poll_fd, 1, 0), 1);
    assert_int_equal(loop_dispatch(&f->loop, -1, 0), 1);
    assert_int_equal(source.events_seen, EPOLLIN);
    assert_int_equal(loop_dispatch(&f->loop, -1, 0), 1); /* level-triggered */
    assert_int_equal(loop_add(&f->loop, &source.source), -EEXIST);
    source_close(f, &source);
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 0);
    assert_int_equal(loop_set_events(&f->loop, &source.source, EPOLLIN), -ENOENT);
}

static void test_add_passes_errors_up(void **state)
{
    struct fixture *f = *state;
    struct loop_source bad = {.fd = -1, .events = EPOLLIN, .fn = on_source};
    assert_int_equal(loop_add(&f->loop, &bad), -EBADF);
    assert_false(bad.added);
    _cleanup_fd_ int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct loop_source regular = {.fd = file, .events = EPOLLIN, .fn = on_source};
    assert_int_equal(loop_add(&f->loop, &regular), -EPERM);
}

static void test_set_events(void **state)
{
    struct fixture *f = *state;
    struct pipe_source source;
    source_open(f, &source, 1, true);
    assert_int_equal(loop_set_events(&f->loop, &source.source, 0), 0);
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 0);
    assert_int_equal(loop_set_events(&f->loop, &source.source, EPOLLIN), 0);
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 1);
    source_close(f, &source);
}

static void test_removed_in_a_callback_never_fires(void **state)
{
    struct fixture *f = *state;
    struct pipe_source sources[2];
    for (int i = 0; i < 2; i++)
        source_open(f, &sources[i], i, true);
    /* Both are ready in one batch: each of the two, removed by whichever callback runs first. */
    for (int removed = 0; removed < 2; removed++) {
        f->fired = 0;
        f->victim = &sources[removed].source;
        int run = loop_dispatch(&f->loop, 0, 0);
        assert_int_equal(run, f->order[0] == removed ? 2 : 1);
        assert_int_equal(loop_dispatch(&f->loop, 0, 0), 1);
        assert_int_equal(f->order[run], 1 - removed);
        assert_int_equal(loop_add(&f->loop, &sources[removed].source), 0);
        assert_int_equal(loop_dispatch(&f->loop, 0, 0), 2);
    }
    source_close(f, &sources[0]);
    source_close(f, &sources[1]);
}

static void test_the_object_of_a_removed_source_may_be_freed(void **state)
{
    struct fixture *f = *state;
    struct pipe_source *sources[64];
    for (int i = 0; i < 64; i++) {
        sources[i] = malloc(sizeof(**sources));
        source_open(f, sources[i], i, true);
    }
    f->spend_ns = 0;
    assert_int_equal(loop_dispatch(&f->loop, 0, 1), 1); /* 63 wait in the loop */
    assert_int_equal(loop_timeout_ms(&f->loop), 0);
    for (int i = 0; i < 64; i++) {
        source_close(f, sources[i]);
        memset(sources[i], 0xa5, sizeof(**sources));
        free(sources[i]);
    }
    assert_int_equal(loop_timeout_ms(&f->loop), -1);
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 0);
}

static void test_events_turned_off_do_not_fire_from_the_rest(void **state)
{
    struct fixture *f = *state;
    struct pipe_source sources[3];
    for (int i = 0; i < 3; i++)
        source_open(f, &sources[i], i, true);
    assert_int_equal(loop_dispatch(&f->loop, 0, 1), 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(loop_set_events(&f->loop, &sources[i].source, EPOLLRDHUP), 0);
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 0);
    assert_int_equal(f->fired, 1);
    for (int i = 0; i < 3; i++)
        source_close(f, &sources[i]);
}

static void test_budget_and_fairness(void **state)
{
    struct fixture *f = *state;
    struct pipe_source sources[100]; /* more than one batch, all always ready */
    int seen[100] = {0};
    for (int i = 0; i < 100; i++)
        source_open(f, &sources[i], i, true);
    for (int i = 0; i < 400; i++)
        assert_int_equal(loop_dispatch(&f->loop, 0, 1), 1); /* one nanosecond: one callback */
    for (int i = 0; i < 400; i++)
        seen[f->order[i]]++;
    for (int i = 0; i < 100; i++)
        assert_true(seen[i] >= 1);
    for (int i = 0; i < 100; i++)
        source_close(f, &sources[i]);
}

static void test_budget_stops_between_callbacks(void **state)
{
    struct fixture *f = *state;
    struct pipe_source sources[20];
    for (int i = 0; i < 20; i++)
        source_open(f, &sources[i], i, true);
    f->spend_ns = 2 * NS_PER_MS;
    int run = loop_dispatch(&f->loop, 0, 5 * NS_PER_MS);
    assert_true(run >= 1 && run <= 3);
    f->spend_ns = 0;
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 20 - run); /* the rest of the batch first */
    for (int i = 0; i < 20; i++)
        source_close(f, &sources[i]);
}

static void test_timers_and_sources_do_not_starve_each_other(void **state)
{
    struct fixture *f = *state;
    struct pipe_source source;
    struct numbered_timer timer;
    source_open(f, &source, 1, true);
    timer_init(f, &timer, 2);
    assert_int_equal(loop_arm(&f->loop, &timer.timer, 1), 0);
    f->again = 5;
    for (int i = 0; i < 6; i++)
        assert_int_equal(loop_dispatch(&f->loop, 0, 1), 2);
    assert_int_equal(loop_dispatch(&f->loop, 0, 1), 1);
    source_close(f, &source);
}

static void test_timers_fire_in_order_and_once(void **state)
{
    struct fixture *f = *state;
    enum { TIMERS = 1000 };
    struct numbered_timer *timers = calloc(TIMERS, sizeof(*timers));
    for (int i = 0; i < TIMERS; i++) {
        timer_init(f, &timers[i], i);
        /* 7 and 1000 share no factor: all deadlines 1..1000, far from sorted */
        assert_int_equal(loop_arm(&f->loop, &timers[i].timer, 1 + (uint64_t)i * 7 % TIMERS), 0);
    }
    for (int i = 0; i < TIMERS; i += 3) /* disarmed ones do not fire; twice is fine */
        loop_disarm(&f->loop, &timers[i].timer), loop_disarm(&f->loop, &timers[i].timer);
    int expected = 0;
    for (int i = 0; i < TIMERS; i++)
        expected += i % 3 != 0;
    assert_int_equal(loop_timeout_ms(&f->loop), 0);
    assert_int_equal(loop_dispatch(&f->loop, -1, 0), expected);
    for (int i = 1; i < expected; i++)
        assert_true(f->order[i - 1] * 7 % TIMERS < f->order[i] * 7 % TIMERS);
    assert_int_equal(loop_timeout_ms(&f->loop), -1);
    free(timers);
}

static void test_heap_under_random_changes(void **state)
{
    struct fixture *f = *state;
    enum { TIMERS = 64 };
    struct numbered_timer timers[TIMERS];
    uint32_t random = 12345;
    for (int i = 0; i < TIMERS; i++)
        timer_init(f, &timers[i], i);
    for (int step = 0; step < 20000; step++) {
        random = random * 1664525u + 1013904223u;
        struct loop_timer *timer = &timers[random >> 8 & (TIMERS - 1)].timer;
        if (random >> 30 == 0)
            loop_disarm(&f->loop, timer);
        else
            assert_int_equal(loop_arm(&f->loop, timer, 1 + (random >> 16 & 0xff)), 0);
        for (size_t i = 1; i <= f->loop.heap_length; i++) {
            assert_int_equal(f->loop.heap[i]->heap_index, i);
            assert_true(f->loop.heap[i / 2 ? i / 2 : 1]->deadline_ns <=
                        f->loop.heap[i]->deadline_ns);
        }
    }
    for (int i = 0; i < TIMERS; i++)
        loop_disarm(&f->loop, &timers[i].timer);
    assert_int_equal(f->loop.heap_length, 0);
}

static void test_timer_armed_again_waits_for_the_next_dispatch(void **state)
{
    struct fixture *f = *state;
    struct numbered_timer timer;
    timer_init(f, &timer, 1);
    f->again = 3;
    assert_int_equal(loop_arm(&f->loop, &timer.timer, 1), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(loop_dispatch(&f->loop, -1, 0), 1);
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 0);
}

static void test_timer_disarmed_in_a_callback_does_not_fire(void **state)
{
    struct fixture *f = *state;
    struct numbered_timer first, second;
    timer_init(f, &first, 1);
    timer_init(f, &second, 2);
    loop_arm(&f->loop, &first.timer, 1);
    loop_arm(&f->loop, &second.timer, 2);
    f->timer_victim = &second.timer;
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 1);
    assert_int_equal(f->order[0], 1);
}

static void test_timer_removes_a_ready_source(void **state)
{
    struct fixture *f = *state;
    struct pipe_source source;
    struct numbered_timer timer;
    source_open(f, &source, 1, true);
    timer_init(f, &timer, 2);
    loop_arm(&f->loop, &timer.timer, 1);
    f->victim = &source.source;
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 1);
    assert_int_equal(f->order[0], 2);
    source_close(f, &source);
}

static void test_timeout_is_rounded_up_and_capped(void **state)
{
    struct fixture *f = *state;
    struct numbered_timer timer;
    timer_init(f, &timer, 1);
    loop_arm(&f->loop, &timer.timer, clock_now_ns() + 100 * NS_PER_S + 1);
    int ms = loop_timeout_ms(&f->loop);
    assert_true(ms > 90000 && ms <= 100001);
    loop_arm(&f->loop, &timer.timer, UINT64_MAX);
    assert_int_equal(loop_timeout_ms(&f->loop), INT32_MAX);
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 0);
    uint64_t deadline = clock_now_ns() + 5 * NS_PER_MS;
    loop_arm(&f->loop, &timer.timer, deadline);
    assert_int_equal(loop_dispatch(&f->loop, -1, 0), 1); /* never wakes too early */
    assert_true(clock_now_ns() >= deadline);
}

static void test_deinit_forgets_timers(void **state)
{
    (void)state;
    struct loop loop;
    struct loop_timer timer = {.fn = on_timer};
    assert_int_equal(loop_init(&loop), 0);
    assert_int_equal(loop_arm(&loop, &timer, 1), 0);
    loop_deinit(&loop);
    assert_int_equal(timer.heap_index, 0);
    loop_disarm(&loop, &timer);
}

static int scenario(void)
{
    struct loop loop;
    struct loop_timer timers[40] = {0};
    if (loop_init(&loop) < 0)
        return -EIO;
    int rc = 0;
    for (size_t i = 0; i < COUNT(timers) && rc == 0; i++)
        rc = loop_arm(&loop, &timers[i], i);
    loop_deinit(&loop);
    return rc;
}

struct numbered_work {
    struct loop_work work;
    int number, again;
    struct fixture *fixture;
};

static void on_work(struct loop_work *work)
{
    struct numbered_work *numbered = work->user;
    note(numbered->fixture, numbered->number);
    if (numbered->again-- > 0)
        loop_work_add(&numbered->fixture->loop, work);
}

static void work_init(struct fixture *f, struct numbered_work *work, int number, int again)
{
    *work = (struct numbered_work){{.fn = on_work, .user = work}, number, again, f};
    loop_work_add(&f->loop, &work->work);
    loop_work_add(&f->loop, &work->work); /* twice is once */
}

static void test_work_takes_turns(void **state)
{
    struct fixture *f = *state;
    struct numbered_work work[3];
    for (int i = 0; i < 3; i++)
        work_init(f, &work[i], i, 2);
    assert_int_equal(loop_timeout_ms(&f->loop), 0);
    for (int round = 0; round < 3; round++)
        assert_int_equal(loop_dispatch(&f->loop, -1, 0), 3); /* no budget: one round */
    for (int i = 0; i < 9; i++)
        assert_int_equal(f->order[i], i % 3);
    assert_int_equal(loop_timeout_ms(&f->loop), -1);
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 0);
}

static void test_work_within_the_budget(void **state)
{
    struct fixture *f = *state;
    struct numbered_work work[2];
    for (int i = 0; i < 2; i++)
        work_init(f, &work[i], i, 4);
    f->spend_ns = 2000;
    for (int i = 0; i < 10; i++)
        assert_int_equal(loop_dispatch(&f->loop, 0, 1), 1); /* spent by the first piece */
    f->spend_ns = 0;
    for (int i = 0; i < 2; i++)
        work_init(f, &work[i], i, 4);
    assert_int_equal(loop_dispatch(&f->loop, 0, 60 * NS_PER_S), 10); /* all that is due */
}

static void test_work_is_removed(void **state)
{
    struct fixture *f = *state;
    struct numbered_work work[3];
    for (int i = 0; i < 3; i++)
        work_init(f, &work[i], i, 0);
    loop_work_remove(&f->loop, &work[2].work); /* the last, the first, the only one, nothing */
    loop_work_remove(&f->loop, &work[0].work);
    loop_work_add(&f->loop, &work[2].work);
    loop_work_remove(&f->loop, &work[1].work);
    loop_work_remove(&f->loop, &work[1].work);
    assert_int_equal(loop_dispatch(&f->loop, 0, 0), 1);
    assert_int_equal(f->order[0], 2);
}

static void test_large_memory_goes_in_pieces(void **state)
{
    enum { BYTES = 8 << 20 };
    struct fixture *f = *state;
    int turns = 0;
    loop_free_later(&f->loop, NULL, BYTES);
    loop_free_later(NULL, malloc(BYTES), BYTES);
    loop_free_later(&f->loop, malloc(BYTES), BYTES); /* no budget: at once */
    assert_int_equal(loop_timeout_ms(&f->loop), -1);
    loop_dispatch(&f->loop, 0, 1);
    loop_free_later(&f->loop, malloc(100), 100); /* small: at once */
    assert_int_equal(loop_timeout_ms(&f->loop), -1);
    for (int i = 0; i < 2; i++)
        loop_free_later(&f->loop, memset(malloc(BYTES), 1, BYTES), BYTES);
    for (; loop_timeout_ms(&f->loop) == 0; turns++)
        loop_dispatch(&f->loop, 0, 1);
    assert_in_range(turns, 2 * 8, 2 * 40);
    loop_free_later(&f->loop, malloc(BYTES), BYTES); /* deinit frees it: the leak checker looks */
}

static void test_out_of_memory(void **state)
{
    (void)state;
    fault_sweep(scenario);
}

#define loop_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        loop_test(test_empty),
        loop_test(test_source_fires_and_the_loop_fd_is_pollable),
        loop_test(test_add_passes_errors_up),
        loop_test(test_set_events),
        loop_test(test_removed_in_a_callback_never_fires),
        loop_test(test_the_object_of_a_removed_source_may_be_freed),
        loop_test(test_events_turned_off_do_not_fire_from_the_rest),
        loop_test(test_budget_and_fairness),
        loop_test(test_budget_stops_between_callbacks),
        loop_test(test_timers_and_sources_do_not_starve_each_other),
        loop_test(test_timers_fire_in_order_and_once),
        loop_test(test_heap_under_random_changes),
        loop_test(test_timer_armed_again_waits_for_the_next_dispatch),
        loop_test(test_timer_disarmed_in_a_callback_does_not_fire),
        loop_test(test_timer_removes_a_ready_source),
        loop_test(test_timeout_is_rounded_up_and_capped),
        cmocka_unit_test(test_deinit_forgets_timers),
        loop_test(test_work_takes_turns),
        loop_test(test_work_within_the_budget),
        loop_test(test_work_is_removed),
        loop_test(test_large_memory_goes_in_pieces),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
