/* SPDX-License-Identifier: MIT
 *
 * The few things that other threads may do, done by many at once, and several hosts in several
 * threads. To be run under ThreadSanitizer as well (cmake -DPTC_SANITIZE=thread).
 */
#include "api_harness.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 8

static ptc_run_handle *start(struct harness *harness, const char *code, ptc_policy_fn policy,
                             void *user)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_run_handle *run;

    options.code = code;
    options.settings = harness->settings;
    options.policy = policy;
    options.user = user;
    run = ptc_run_start(harness->host, &options, NULL);
    assert_non_null(run);
    return run;
}

/* ---- cancellations ---- */

struct canceller {
    pthread_t thread;
    ptc_run_handle *run;
    ptc_host *host;
    unsigned delay_us;
};

static void *cancel(void *user)
{
    struct canceller *canceller = user;

    usleep(canceller->delay_us);
    for (int i = 0; i < 20; i++)
        ptc_run_cancel(canceller->run, "many want it");
    if (canceller->host)
        ptc_host_cancel_all(canceller->host);
    return NULL;
}

static void many_threads_cancel_one_run(void **state)
{
    struct harness *harness = *state;

    for (int round = 0; round < 12; round++) {
        struct canceller cancellers[THREADS];
        ptc_run_handle *run = start(
            harness, "import time\nfor i in range(200): print(i); time.sleep(0.01)", NULL, NULL);
        const ptc_result *result;

        for (int i = 0; i < THREADS; i++) {
            cancellers[i] = (struct canceller){.run = run,
                                               .host = i % 4 == 3 ? harness->host : NULL,
                                               .delay_us = (unsigned)(round * 2000)};
            assert_int_equal(pthread_create(&cancellers[i].thread, NULL, cancel, &cancellers[i]),
                             0);
        }
        result = harness_wait(harness->host, run);
        for (int i = 0; i < THREADS; i++)
            pthread_join(cancellers[i].thread, NULL);
        assert_string_equal(ptc_result_status(result), "interrupted");
        ptc_run_free(run);
        while (ptc_host_dispatch(harness->host, 0) > 0) /* a cancel_all that came after the end */
            ;
    }
}

/* ---- replies and decisions ---- */

struct pool { /* threads that answer whatever is put in */
    pthread_mutex_t lock;
    pthread_cond_t come;
    struct job {
        ptc_call *call;
        bool decide;
    } jobs[256];
    int count;
    bool stop;
    atomic_int answered;
    pthread_t threads[THREADS];
};

static void job_do(struct pool *pool, struct job job)
{
    char text[128];
    int length;

    if (job.decide) {
        ptc_call_decide(job.call, PTC_ALLOW, "fine");
        return;
    }
    length = snprintf(text, sizeof text, "{\"tool\": \"%s\", \"args\": %s}",
                      ptc_call_tool(job.call), ptc_call_args_json(job.call, NULL));
    ptc_call_reply(job.call, text, (size_t)length);
    atomic_fetch_add(&pool->answered, 1);
}

static void *pool_work(void *user)
{
    struct pool *pool = user;

    pthread_mutex_lock(&pool->lock);
    while (!pool->stop || pool->count) {
        struct job job;

        if (!pool->count) {
            pthread_cond_wait(&pool->come, &pool->lock);
            continue;
        }
        job = pool->jobs[--pool->count];
        pthread_mutex_unlock(&pool->lock);
        job_do(pool, job);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void pool_put(struct pool *pool, ptc_call *call, bool decide)
{
    pthread_mutex_lock(&pool->lock);
    assert_true(pool->count < 256);
    pool->jobs[pool->count++] = (struct job){call, decide};
    pthread_cond_signal(&pool->come);
    pthread_mutex_unlock(&pool->lock);
}

static void pool_begin(struct pool *pool)
{
    memset(pool, 0, sizeof *pool);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->come, NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&pool->threads[i], NULL, pool_work, pool), 0);
}

static void pool_end(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->come);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->come);
}

static void late(ptc_call *call, void *user)
{
    pool_put(user, call, false);
}

static int ask(ptc_call *call, void *user)
{
    pool_put(user, call, true);
    return PTC_ASK;
}

#define CALLER                                                                                     \
    "from concurrent.futures import ThreadPoolExecutor\n"                                          \
    "from hermes_tools import own\n"                                                               \
    "with ThreadPoolExecutor(8) as pool:\n"                                                        \
    "    answers = list(pool.map(lambda i: own(x=i), range(50)))\n"                                \
    "print([a['args']['x'] for a in answers] == list(range(50)))\n"

static void many_threads_answer_many_calls(void **state)
{
    struct harness *harness = *state;
    ptc_run_handle *runs[4];
    struct pool pool;

    harness_set(harness, "max_tool_calls", "0");
    pool_begin(&pool);
    harness_add_tool(harness->host, "own", "\"parallel_safe\"", late, &pool);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++)
            runs[i] = start(harness, CALLER, i % 2 ? ask : NULL, &pool);
        for (int i = 0; i < 4; i++) {
            const ptc_result *result = harness_wait(harness->host, runs[i]);

            if (strcmp(ptc_result_output(result, NULL), "True\n") != 0)
                fail_msg("%s", ptc_result_json(result, NULL));
            ptc_run_free(runs[i]);
        }
    }
    pool_end(&pool);
    assert_int_equal(atomic_load(&pool.answered), 600);
}

/* Runs are freed, and then the host, while their calls are still being answered elsewhere. */
static void answers_race_with_the_end(void **state)
{
    struct harness *harness = *state;

    for (int round = 0; round < 10; round++) {
        ptc_run_handle *runs[3];
        struct pool pool;

        pool_begin(&pool);
        harness_add_tool(harness->host, "own", "\"parallel_safe\"", late, &pool);
        for (int i = 0; i < 3; i++)
            runs[i] = start(harness, CALLER, i == 1 ? ask : NULL, &pool);
        while (!atomic_load(&pool.answered))
            ptc_host_dispatch(harness->host, 0);
        for (int i = 0; i < round * 3; i++)
            ptc_host_dispatch(harness->host, 0);
        ptc_run_free(runs[0]);
        ptc_run_free(runs[1]);
        ptc_host_free(harness->host);
        ptc_run_free(runs[2]);
        pool_end(&pool);
        harness->host = harness_host(harness);
    }
}

/* ---- hosts in threads ---- */

struct tenant {
    pthread_t thread;
    struct harness *harness;
    int good;
};

static void at_once(ptc_call *call, void *user)
{
    (void)user;
    ptc_call_reply(call, "{\"args\": {\"x\": 0}}", 18);
}

static void *live(void *user)
{
    struct tenant *tenant = user;

    for (int i = 0; i < 3; i++) {
        struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
        ptc_host *host;

        options.child_path = PTC_TEST_CHILD;
        options.settings = tenant->harness->settings;
        host = ptc_host_new(&options, NULL);
        harness_add_tool(host, "own", "", at_once, NULL);
        for (int k = 0; k < 4; k++) {
            struct ptc_run_options run = PTC_RUN_OPTIONS_INIT;
            ptc_result *result;

            run.code = "from hermes_tools import own, terminal\n"
                       "print(own(x=1)['args']['x'], terminal('echo 1')['output'])";
            result = ptc_run(host, &run, NULL);
            tenant->good += result && strcmp(ptc_result_output(result, NULL), "0 1\n") == 0;
            ptc_result_free(result);
            ptc_free(ptc_schema_json(host, NULL, "openai", NULL));
            ptc_free(ptc_stub_text(host, NULL, NULL));
            ptc_free(ptc_host_stats_json(host));
            ptc_free(ptc_features_json());
        }
        ptc_host_free(host);
    }
    return NULL;
}

static void hosts_in_threads_know_nothing_of_each_other(void **state)
{
    struct tenant tenants[4];

    for (int i = 0; i < 4; i++) {
        tenants[i] = (struct tenant){.harness = *state};
        assert_int_equal(pthread_create(&tenants[i].thread, NULL, live, &tenants[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(tenants[i].thread, NULL);
        assert_int_equal(tenants[i].good, 12);
    }
}

/* ---- one host, handed from thread to thread ---- */

static void *one_run(void *user)
{
    struct harness *harness = user;

    json_decref(harness_run(harness, "print(1)"));
    return NULL;
}

static void a_host_moves_from_thread_to_thread(void **state)
{
    for (int i = 0; i < 5; i++) {
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, one_run, *state), 0);
        pthread_join(thread, NULL);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, harness_setup, harness_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(many_threads_cancel_one_run),        TEST(many_threads_answer_many_calls),
        TEST(answers_race_with_the_end),          TEST(hosts_in_threads_know_nothing_of_each_other),
        TEST(a_host_moves_from_thread_to_thread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
