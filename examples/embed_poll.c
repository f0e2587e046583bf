/* SPDX-License-Identifier: MIT
 *
 * A game loop: 60 frames a second with twenty scripts running beside them, two of which move 1 MiB and
 * 64 MiB through tool calls, there and back, again and again. Once a frame the library gets a slice of
 * time, `ptc_host_dispatch(host, BUDGET_US)`; nothing else of it runs in this process. The loop
 * measures each of these calls and says at the end how long they took and how far the worst of them
 * was over its budget.
 *
 *     embed_poll [SECONDS [BUDGET_US]]      (5 and 1000)
 *
 * Two clocks are read: wall time, which is what a player sees, and the processor time of this thread,
 * which is what the library itself has spent. On a machine that is busy with other things the first
 * contains moments in which the kernel ran somebody else.
 */
#include <ptc_host.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS      20
#define FRAME_NS  (1000000000 / 60)
#define MIB       (1024u * 1024u)
#define BLOB_MAX  (64 * MIB - 4096) /* a frame of the wire holds 64 MiB, the call's head included */
#define QUEUE_MAX RUNS              /* each script has one call under way */

/* Ordinary work: computing, a cheap tool, printing, sleeping; until somebody stops it. */
static const char *const LIGHT = "import time\n"
                                 "from hermes_tools import position\n"
                                 "n = 0\n"
                                 "while True:\n"
                                 "    n += position(n=n)['x']\n"
                                 "    sum(range(5000))\n"
                                 "    if n % 10 == 0: print('tick', n)\n"
                                 "    time.sleep(0.01)\n";
static const char *const HEAVY = "import sys, time\n"
                                 "from hermes_tools import blob\n"
                                 "size = int(sys.argv[1])\n"
                                 "while True:\n"
                                 "    answer = blob(text='x' * size)['text']\n"
                                 "    assert answer == 'x' * size\n"
                                 "    time.sleep(0.02)\n";

static const char *const POSITION_SPEC =
    "{\"name\": \"position\", \"description\": \"Where the player is.\", \"flags\": [\"read_only\","
    " \"parallel_safe\"], \"parameters\": {\"type\": \"object\", \"properties\": {\"n\": {\"type\":"
    " \"integer\"}}}}";
static const char *const BLOB_SPEC =
    "{\"name\": \"blob\", \"description\": \"Takes a text and gives one as long.\", \"flags\":"
    " [\"parallel_safe\"], \"parameters\": {\"type\": \"object\", \"properties\": {\"text\":"
    " {\"type\": \"string\"}}, \"required\": [\"text\"]}}";

struct blobs { /* calls that a worker thread answers: ptc_call_reply copies what it is given */
    pthread_mutex_t lock;
    pthread_cond_t come;
    ptc_call *queue[QUEUE_MAX];
    unsigned count;
    int stop;
    char *answer; /* {"text": "xxx..."}: the longest; a shorter one is made from its parts */
    uint64_t small, large;
};

struct game {
    struct blobs blobs;
    uint64_t positions, output_bytes;
    int ended;
    struct script {
        struct game *game;
        ptc_run_handle *run;
        size_t blob_bytes; /* 0: a light one */
    } scripts[RUNS];
};

/* ---- tools ---- */

static void position(ptc_call *call, void *user)
{
    static const char answer[] = "{\"x\": 1, \"y\": 2}";
    struct game *game = user;

    game->positions++;
    ptc_call_reply(call, answer, sizeof answer - 1);
}

static void blob(ptc_call *call, void *user)
{
    struct blobs *blobs = &((struct game *)user)->blobs;

    pthread_mutex_lock(&blobs->lock);
    blobs->queue[blobs->count++] = call;
    pthread_cond_signal(&blobs->come);
    pthread_mutex_unlock(&blobs->lock);
}

static void blob_answer(struct blobs *blobs, ptc_call *call)
{
    static const char head[] = "{\"text\": \"";
    size_t size = ((struct script *)ptc_call_run_user(call))->blob_bytes,
           length = sizeof head - 1 + size + 2;
    char kept[2];

    *(size < MIB * 2 ? &blobs->small : &blobs->large) += 1;
    memcpy(kept, blobs->answer + length - 2, 2);
    memcpy(blobs->answer + length - 2, "\"}", 2);
    ptc_call_reply(call, blobs->answer, length);
    memcpy(blobs->answer + length - 2, kept, 2);
}

static void *blob_worker(void *user)
{
    struct blobs *blobs = user;

    pthread_mutex_lock(&blobs->lock);
    while (!blobs->stop || blobs->count) {
        if (!blobs->count) {
            pthread_cond_wait(&blobs->come, &blobs->lock);
            continue;
        }
        ptc_call *call = blobs->queue[--blobs->count];

        pthread_mutex_unlock(&blobs->lock);
        blob_answer(blobs, call);
        pthread_mutex_lock(&blobs->lock);
    }
    pthread_mutex_unlock(&blobs->lock);
    return NULL;
}

static int blobs_begin(struct blobs *blobs)
{
    static const char head[] = "{\"text\": \"";

    pthread_mutex_init(&blobs->lock, NULL);
    pthread_cond_init(&blobs->come, NULL);
    blobs->answer = malloc(BLOB_MAX + 64);
    if (!blobs->answer)
        return -1;
    memset(blobs->answer, 'x', BLOB_MAX + 64);
    memcpy(blobs->answer, head, sizeof head - 1);
    return 0;
}

static void blobs_end(struct blobs *blobs, pthread_t worker)
{
    pthread_mutex_lock(&blobs->lock);
    blobs->stop = 1;
    pthread_cond_signal(&blobs->come);
    pthread_mutex_unlock(&blobs->lock);
    pthread_join(worker, NULL);
    free(blobs->answer);
}

/* ---- measuring ---- */

static const unsigned LIMITS_US[] = {10, 50, 100, 200, 500, 1000, 1100, 1500, 2000, 5000, 20000, 0};
#define BUCKETS (sizeof LIMITS_US / sizeof *LIMITS_US)

struct measure {
    uint64_t budget_ns, count, callbacks, buckets[BUCKETS];
    uint64_t worst_wall_ns, worst_cpu_ns;
    uint64_t wall_over, cpu_over; /* dispatches more than 1 ms over the budget */
    uint64_t frames, frames_late;
};

static uint64_t now_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void measured_dispatch(ptc_host *host, struct measure *measure)
{
    uint64_t wall = now_ns(CLOCK_MONOTONIC), cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
    int callbacks = ptc_host_dispatch(host, measure->budget_ns / 1000);
    size_t bucket = 0;

    cpu = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
    wall = now_ns(CLOCK_MONOTONIC) - wall;
    while (LIMITS_US[bucket] && wall >= LIMITS_US[bucket] * 1000ull)
        bucket++;
    measure->buckets[bucket]++;
    measure->count++;
    measure->callbacks += callbacks > 0 ? (uint64_t)callbacks : 0;
    measure->wall_over += wall > measure->budget_ns + 1000000;
    measure->cpu_over += cpu > measure->budget_ns + 1000000;
    if (wall > measure->worst_wall_ns)
        measure->worst_wall_ns = wall;
    if (cpu > measure->worst_cpu_ns)
        measure->worst_cpu_ns = cpu;
}

static double over_ms(const struct measure *measure, uint64_t ns)
{
    return ns > measure->budget_ns ? (double)(ns - measure->budget_ns) / 1e6 : 0;
}

static void report(const struct measure *measure, const struct game *game)
{
    printf("%llu frames (%llu late), %d scripts, %llu callbacks: %llu small calls, %llu of 1 MiB, "
           "%llu of 64 MiB, %llu bytes of output\n",
           (unsigned long long)measure->frames, (unsigned long long)measure->frames_late, RUNS,
           (unsigned long long)measure->callbacks, (unsigned long long)game->positions,
           (unsigned long long)game->blobs.small, (unsigned long long)game->blobs.large,
           (unsigned long long)game->output_bytes);
    printf("dispatch, wall time:\n");
    for (size_t i = 0; i < BUCKETS; i++)
        if (LIMITS_US[i])
            printf("  < %6u us %8llu\n", LIMITS_US[i], (unsigned long long)measure->buckets[i]);
        else
            printf("  longer      %8llu\n", (unsigned long long)measure->buckets[i]);
    printf("budget %.3f ms; worst over it: %.3f ms of wall time, %.3f ms of processor time\n",
           (double)measure->budget_ns / 1e6, over_ms(measure, measure->worst_wall_ns),
           over_ms(measure, measure->worst_cpu_ns));
    printf("more than 1 ms over it: %llu of %llu dispatches by wall time, %llu by processor time\n",
           (unsigned long long)measure->wall_over, (unsigned long long)measure->count,
           (unsigned long long)measure->cpu_over);
}

/* ---- the game ---- */

static void on_event(void *user, const struct ptc_event *event)
{
    struct script *script = user;

    if (event->type == PTC_EVENT_OUTPUT)
        script->game->output_bytes += event->length;
    if (event->type == PTC_EVENT_ENDED) { /* none should: they are stopped by freeing them */
        script->game->ended++;
        fprintf(stderr, "a script has ended: %s\n",
                ptc_result_json(ptc_run_result(event->run), NULL));
    }
}

static int script_start(struct script *script, ptc_host *host, struct ptc_error *error)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    char size[32];
    const char *argv[] = {size};

    snprintf(size, sizeof size, "%zu", script->blob_bytes);
    options.code = script->blob_bytes ? HEAVY : LIGHT;
    options.argv = argv;
    options.argc = 1;
    options.event = on_event;
    options.user = script;
    script->run = ptc_run_start(host, &options, error);
    return script->run ? 0 : -1;
}

static int game_begin(struct game *game, ptc_host *host, struct ptc_error *error)
{
    if (ptc_host_add_tool(host, POSITION_SPEC, position, game, NULL, error) < 0 ||
        ptc_host_add_tool(host, BLOB_SPEC, blob, game, NULL, error) < 0)
        return -1;
    game->scripts[0].blob_bytes = BLOB_MAX;
    game->scripts[1].blob_bytes = MIB;
    for (int i = 0; i < RUNS; i++) {
        game->scripts[i].game = game;
        if (script_start(&game->scripts[i], host, error) < 0)
            return -1;
    }
    return 0;
}

static void frame_wait(uint64_t *next_ns, struct measure *measure)
{
    struct timespec until;

    *next_ns += FRAME_NS;
    measure->frames++;
    if (now_ns(CLOCK_MONOTONIC) > *next_ns) {
        measure->frames_late++;
        *next_ns = now_ns(CLOCK_MONOTONIC);
        return;
    }
    until = (struct timespec){(time_t)(*next_ns / 1000000000u), (long)(*next_ns % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until,
                    NULL); /* a game waits for the display */
}

static void game_loop(ptc_host *host, struct measure *measure, double seconds)
{
    uint64_t next_ns = now_ns(CLOCK_MONOTONIC), end_ns = next_ns + (uint64_t)(seconds * 1e9);

    while (now_ns(CLOCK_MONOTONIC) < end_ns) {
        measured_dispatch(host, measure);
        frame_wait(&next_ns, measure); /* here the game would think and draw */
    }
}

static ptc_host *host_make(struct ptc_error *error)
{
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    ptc_settings *settings = ptc_settings_new(error);
    ptc_host *host = NULL;

    options.settings = settings;
    if (settings && ptc_settings_set(settings, "max_tool_calls", "0", error) == 0 &&
        ptc_settings_set(settings, "timeout", "0", error) == 0)
        host = ptc_host_new(&options, error);
    ptc_settings_free(settings);
    return host;
}

int main(int argc, char **argv)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct measure measure = {.budget_ns = argc > 2 ? strtoull(argv[2], NULL, 10) * 1000 : 1000000};
    struct game game = {.ended = 0};
    ptc_host *host = host_make(&error);
    pthread_t worker;

    if (!host || blobs_begin(&game.blobs) < 0 || game_begin(&game, host, &error) < 0 ||
        pthread_create(&worker, NULL, blob_worker, &game.blobs) != 0) {
        fprintf(stderr, "embed_poll: %s\n", error.message);
        return 1;
    }
    game_loop(host, &measure, argc > 1 ? atof(argv[1]) : 5);
    for (int i = 0; i < RUNS; i++)
        ptc_run_free(game.scripts[i].run);
    blobs_end(&game.blobs, worker); /* its late answers are dropped, not a fault */
    report(&measure, &game);
    ptc_host_free(host);
    return game.ended != 0;
}
