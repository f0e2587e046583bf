/* SPDX-License-Identifier: MIT
 *
 * The queue of work and the threads that take from it. It is a stack: what was found last is done
 * first, so that few directories are open and little is remembered at any time. Threads come one
 * by one, when there is work that nobody takes: most searches are over before a second one is
 * worth its start.
 */
#include "tools/walk.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/str.h"
#include "tools/call.h"
#include "tools/state.h"
#include "tools/walk_private.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#define STACK_BYTES (256u * 1024u)
#define GRACE_MS    150  /* for threads to come to their end once they were told to stop */
#define FINISH_MS   2000 /* for one that is about to finish */

void walk_root_deinit(struct walk_root *root)
{
    fd_close(root->fd);
    free(root->real);
    free(root->shown);
    free(root->name);
    *root = (struct walk_root){.fd = -1};
}

void walk_roots_free(struct walk_root *roots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        walk_root_deinit(&roots[i]);
    }
    free(roots);
}

struct walk *walk_unref(struct walk *walk)
{
    if (walk == NULL || atomic_fetch_sub(&walk->refs, 1) != 1) {
        return NULL;
    }
    while (walk->task_count > 0) {
        walk_directory_unref(walk->tasks[--walk->task_count].directory);
    }
    walk->visitor.release(walk->visitor.user);
    walk_roots_free(walk->roots, walk->root_count);
    free(walk->workspace);
    free(walk->tasks);
    fd_close(walk->done_fd);
    pthread_mutex_destroy(&walk->lock);
    pthread_cond_destroy(&walk->more);
    free(walk);
    return NULL;
}

static unsigned processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : count > WALK_THREADS_MAX ? WALK_THREADS_MAX : (unsigned)count;
}

struct walk *walk_new(const struct walk_options *options, const struct walk_visitor *visitor,
                      struct walk_root *roots, size_t root_count)
{
    struct walk *walk = calloc(1, sizeof(*walk));

    if (walk == NULL || (walk->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0) {
        free(walk);
        walk_roots_free(roots, root_count);
        return NULL;
    }
    walk->refs = 1;
    walk->options = *options;
    if (options->threads == 0 || options->threads > WALK_THREADS_MAX) {
        walk->options.threads = processors();
    }
    walk->visitor = *visitor;
    walk->roots = roots;
    walk->root_count = root_count;
    pthread_mutex_init(&walk->lock, NULL);
    pthread_cond_init(&walk->more, NULL);
    return walk;
}

const struct walk_root *walk_root(const struct walk *walk, size_t root)
{
    return &walk->roots[root];
}

void walk_stop(struct walk *walk, enum walk_limit limit)
{
    int none = WALK_COMPLETE;

    atomic_compare_exchange_strong(&walk->limit, &none, (int)limit);
}

enum walk_limit walk_limit(struct walk *walk)
{
    return (enum walk_limit)atomic_load(&walk->limit);
}

bool walk_stopped(struct walk *walk)
{
    int r = 0;

    if (atomic_load_explicit(&walk->limit, memory_order_relaxed) != WALK_COMPLETE) {
        return true;
    }
    if (walk->inline_call == NULL) {
        return false;
    }
    r = call_check(walk->inline_call);
    if (r < 0 || clock_now_ns() >= walk->deadline_ns) {
        walk_stop(walk, r == -ECANCELED ? WALK_CANCELED : WALK_TIME);
        return true;
    }
    return false;
}

void walk_get_counts(struct walk *walk, struct walk_counts *ret_counts)
{
    *ret_counts = (struct walk_counts){.entries = walk->entries,
                                       .hidden = walk->hidden,
                                       .ignored = walk->ignored,
                                       .too_deep = walk->too_deep,
                                       .unreadable = walk->unreadable};
}

/* Takes a task, or waits for one. False: there will be none. Called with the lock. */
static bool task_take(struct walk *walk, struct walk_task *ret_task)
{
    while (walk->task_count == 0 && !walk->ended) {
        if (walk->idle + 1 == walk->threads) { /* nobody is left who could make one */
            walk->ended = true;
            pthread_cond_broadcast(&walk->more);
            break;
        }
        walk->idle++;
        pthread_cond_wait(&walk->more, &walk->lock);
        walk->idle--;
    }
    if (walk->task_count == 0) {
        return false;
    }
    *ret_task = walk->tasks[--walk->task_count];
    return true;
}

static void worker_run(struct walk *walk, unsigned worker)
{
    struct walk_task task;
    bool last = false;

    pthread_mutex_lock(&walk->lock);
    while (task_take(walk, &task)) {
        pthread_mutex_unlock(&walk->lock);
        if (!walk_stopped(walk)) {
            walk_task_run(walk, worker, &task);
        }
        walk_directory_unref(task.directory);
        pthread_mutex_lock(&walk->lock);
    }
    last = --walk->threads == 0 && !walk->finished;
    walk->finished |= last;
    pthread_mutex_unlock(&walk->lock);
    if (last) {
        walk->visitor.finish(walk->visitor.user);
        pthread_mutex_lock(&walk->lock); /* what finish did is seen by who waits */
        eventfd_write(walk->done_fd, 1);
        pthread_mutex_unlock(&walk->lock);
    }
}

struct worker_start {
    struct walk *walk;
    unsigned worker;
};

static void *worker_main(void *user)
{
    struct worker_start start = *(struct worker_start *)user;

    free(user);
    worker_run(start.walk, start.worker);
    walk_unref(start.walk);
    return NULL;
}

/* Called with the lock. 0 or negative errno: the system gives no thread. */
static int worker_start(struct walk *walk)
{
    struct worker_start *start = malloc(sizeof(*start));
    pthread_attr_t attributes;
    pthread_t thread;
    int r = 0;

    if (start == NULL) {
        return -ENOMEM;
    }
    *start = (struct worker_start){walk, walk->threads};
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    atomic_fetch_add(&walk->refs, 1);
    r = -pthread_create(&thread, &attributes, worker_main, start);
    pthread_attr_destroy(&attributes);
    if (r == 0) {
        walk->threads++;
    } else {
        atomic_fetch_sub(&walk->refs, 1);
        free(start);
    }
    return r;
}

static int tasks_reserve(struct walk *walk)
{
    size_t capacity = walk->task_capacity * 2 + 64;
    struct walk_task *grown = NULL;

    if (walk->task_count < walk->task_capacity) {
        return 0;
    }
    grown = realloc(walk->tasks, capacity * sizeof(*grown));
    if (grown == NULL) {
        return -ENOMEM;
    }
    walk->tasks = grown;
    walk->task_capacity = capacity;
    return 0;
}

int walk_push(struct walk *walk, struct walk_directory *directory, uint32_t from, uint32_t to)
{
    int r = 0;

    pthread_mutex_lock(&walk->lock);
    r = tasks_reserve(walk);
    if (r == 0) {
        walk->tasks[walk->task_count++] = (struct walk_task){directory, from, to};
        if (walk->idle > 0) {
            pthread_cond_signal(&walk->more);
        } else if (walk->threads > 0 && walk->threads < walk->options.threads &&
                   walk->inline_call == NULL && worker_start(walk) < 0) {
            walk->options.threads = walk->threads; /* there are no more to be had */
        }
    }
    pthread_mutex_unlock(&walk->lock);
    if (r < 0) {
        walk_directory_unref(directory);
        walk_stop(walk, WALK_MEMORY);
    }
    return r;
}

/* From now on no thread calls finish. False: one has begun to. */
static bool walk_take_over(struct walk *walk)
{
    bool began = false;

    pthread_mutex_lock(&walk->lock);
    began = walk->finished;
    walk->finished = true;
    pthread_mutex_unlock(&walk->lock);
    return !began;
}

/* Time is up: the threads get a moment to come to an end by themselves. */
static int walk_wait_longer(struct walk *walk, struct pollfd fds[2])
{
    walk_stop(walk, WALK_TIME);
    if (poll(fds, 1, GRACE_MS) > 0) {
        return 0;
    }
    if (walk_take_over(walk)) {
        return -ETIME;
    }
    poll(fds, 2, FINISH_MS);
    return fds[0].revents != 0 ? 0 : -EBUSY;
}

/* Until the threads are done, the caller gives up or the time is up. */
static int walk_wait(struct walk *walk, const struct tool_call *call)
{
    struct pollfd fds[] = {{.fd = walk->done_fd, .events = POLLIN},
                           {.fd = call->cancel_fd, .events = POLLIN}};

    for (;;) {
        uint64_t now = clock_now_ns();
        uint64_t left_ms = now < walk->deadline_ns ? (walk->deadline_ns - now) / NS_PER_MS + 1 : 0;
        int n = poll(fds, 2, left_ms < INT_MAX ? (int)left_ms : INT_MAX);
        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        if (fds[0].revents != 0) {
            return 0;
        }
        if (fds[1].revents != 0) {
            walk_stop(walk, WALK_CANCELED);
            return -ECANCELED;
        }
        if (n == 0) {
            return walk_wait_longer(walk, fds);
        }
    }
}

static int walk_start(struct walk *walk)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < walk->root_count; i++) {
        struct walk_directory *directory = walk_directory_new(i, "", "", 0, NULL);
        r = directory == NULL ? -ENOMEM : walk_push(walk, directory, WALK_WHOLE_DIRECTORY, 0);
    }
    return r;
}

int walk_run(struct walk *walk, const struct tool_call *call, uint64_t deadline_ns)
{
    int r = 0;

    walk->deadline_ns = deadline_ns;
    walk->workspace = strdup(call->state->workspace);
    r = walk->workspace != NULL ? walk_start(walk) : -ENOMEM;
    if (r < 0) {
        return r;
    }
    pthread_mutex_lock(&walk->lock);
    r = worker_start(walk);
    pthread_mutex_unlock(&walk->lock);
    if (r == 0) {
        r = walk_wait(walk, call);
        pthread_mutex_lock(&walk->lock);
        pthread_mutex_unlock(&walk->lock);
        return r;
    }
    walk->inline_call = call; /* no thread to be had: the work is done here */
    walk->threads = 1;
    worker_run(walk, 0);
    return walk_limit(walk) == WALK_CANCELED ? -ECANCELED : 0;
}
