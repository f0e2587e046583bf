/* SPDX-License-Identifier: MIT
 *
 * A host without memory: every single allocation of a short life (settings, host, tool, run with
 * calls, result) fails once, alone and together with all after it. What must come out is an error or
 * a success that is one: no crash, no hang, no block, fd or process left behind.
 */
#include "api_harness.h"

#include "fault.h"

#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void *__wrap_malloc(size_t size);
void __wrap_free(void *pointer);

#define SECONDS_MAX 8 /* of one life; the run's own limit is longer, so that a hang is seen */

struct life {
    const char *workspace, *cold;
    const char *problem; /* what was wrong, found while allocations failed: told later */
    char detail[2048];
};

static const char *const SPEC =
    "{\"name\": \"own\", \"description\": \"A tool.\", \"flags\": [\"read_only\"], \"parameters\": "
    "{\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"integer\"}, \"y\": {\"type\": "
    "[\"string\", \"null\"], \"default\": \"z\"}}}}";

static void problem_set(struct life *life, const char *problem, const char *detail)
{
    if (life->problem)
        return;
    life->problem = problem;
    snprintf(life->detail, sizeof life->detail, "%s", detail ? detail : "");
}

/* Whoever gets no object must get a reason. */
static int refused(struct life *life, const struct ptc_error *error)
{
    if (error->code >= 0 || !error->message[0])
        problem_set(life, "refused without a reason", error->message);
    return -1;
}

static void answer(ptc_call *call, void *user)
{
    static const char text[] = "{\"a\": 1}";

    (void)user;
    if (ptc_call_reply(call, text, sizeof text - 1) == PTC_E_NO_MEMORY)
        while (ptc_call_reply(call, text, sizeof text - 1) == PTC_E_NO_MEMORY)
            fault_arm(0); /* an embedder would try again, too, once there is memory */
}

/* 0: as it should be; -1: it says that it failed; problem_set: neither. */
static int result_judge(struct life *life, const ptc_result *result, const char *output)
{
    if (!ptc_result_json(result, NULL) || !ptc_result_status(result) ||
        !ptc_result_output(result, NULL) || !ptc_result_stderr(result, NULL)) {
        problem_set(life, "a result without its parts", NULL);
        return -1;
    }
    if (strcmp(ptc_result_status(result), "success") != 0)
        return ptc_result_error(result) ? -1 : refused(life, &(struct ptc_error)PTC_ERROR_INIT);
    if (strcmp(ptc_result_output(result, NULL), output) == 0)
        return 0;
    /* The script itself may have been told that a call has failed, or the reader of what is missing. */
    if (!strstr(ptc_result_output(result, NULL), "no memory") &&
        !strstr(ptc_result_output(result, NULL), "OUTPUT TRUNCATED"))
        problem_set(life, "success with another output", ptc_result_json(result, NULL));
    return -1;
}

static ptc_settings *settings_make(struct life *life, struct ptc_error *error)
{
    ptc_settings *settings = ptc_settings_new(error);

    if (settings && ptc_settings_set(settings, "workspace", life->workspace, error) == 0 &&
        ptc_settings_set(settings, "timeout", "20", error) == 0 &&
        ptc_settings_set(settings, "env", "PTC_A=b", error) == 0 &&
        ptc_settings_set_json(settings, life->cold, strlen(life->cold), error) == 0)
        return settings;
    ptc_settings_free(settings);
    return NULL;
}

static ptc_host *host_make(struct life *life, struct ptc_error *error)
{
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    ptc_settings *settings = settings_make(life, error);
    ptc_host *host;

    options.child_path = PTC_TEST_CHILD;
    options.settings = settings;
    host = settings ? ptc_host_new(&options, error) : NULL;
    ptc_settings_free(settings);
    if (host && ptc_host_add_tool(host, SPEC, answer, NULL, NULL, error) < 0) {
        ptc_host_free(host);
        return NULL;
    }
    return host;
}

/* ---- the lives ---- */

static int live_blocking(struct life *life)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_host *host = host_make(life, &error);
    ptc_result *result = NULL;
    int r;

    options.code = "import os\n"
                   "from hermes_tools import own, read_file\n"
                   "def say(answer, key): print(answer.get(key) or answer)\n"
                   "say(own(x=1), 'a')\n"
                   "say(read_file('f.txt'), 'content')\n"
                   "print(os.environ['PTC_A'])";
    if (host)
        result = ptc_run(host, &options, &error);
    r = result ? result_judge(life, result, "1\n1|line\nb\n") : refused(life, &error);
    ptc_result_free(result);
    ptc_host_free(host);
    return r;
}

struct follow {
    int started, ended, finished;
};

static void on_event(void *user, const struct ptc_event *event)
{
    struct follow *follow = user;

    follow->started += event->type == PTC_EVENT_CALL_STARTED;
    follow->ended += event->type == PTC_EVENT_CALL_ENDED;
    follow->finished += event->type == PTC_EVENT_ENDED;
}

static int on_policy(ptc_call *call, void *user)
{
    (void)user;
    while (ptc_call_decide(call, PTC_ALLOW, "fine") == PTC_E_NO_MEMORY)
        fault_arm(0);
    return PTC_ASK;
}

static int live_in_a_loop(struct life *life)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    struct follow follow = {0};
    ptc_host *host = host_make(life, &error);
    ptc_run_handle *run = NULL;
    int r = -1;

    options.code = "from hermes_tools import own\n"
                   "try: print(own()['a'])\n"
                   "except Exception as e: print(e)\n";
    options.event = on_event;
    options.policy = on_policy;
    options.user = &follow;
    if (host)
        run = ptc_run_start(host, &options, &error);
    for (time_t end = time(NULL) + SECONDS_MAX; run && !follow.finished && time(NULL) < end;) {
        struct pollfd fd = {ptc_host_fd(host), POLLIN, 0};
        int timeout_ms = ptc_host_timeout_ms(host);

        poll(&fd, 1, timeout_ms < 0 || timeout_ms > 1000 ? 1000 : timeout_ms);
        ptc_host_dispatch(host, 1000);
    }
    if (!run) {
        refused(life, &error);
    } else if (!ptc_run_result(run)) {
        problem_set(life, "no result in time", NULL);
    } else {
        r = result_judge(life, ptc_run_result(run), "1\n");
        if (follow.finished != 1 || follow.started != follow.ended)
            problem_set(life, "events that do not pair",
                        ptc_result_json(ptc_run_result(run), NULL));
    }
    ptc_run_free(run);
    ptc_host_free(host);
    return r;
}

static int live_tool_calls(struct life *life)
{
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_host *host = host_make(life, &error);
    ptc_result *results[2] = {NULL};
    int r = host ? 0 : refused(life, &error);

    for (int i = 0; i < 2 && r == 0; i++) {
        results[i] = i ? ptc_tool_call(host, NULL, "read_file", "{\"path\": \"f.txt\"}", &error)
                       : ptc_tool_call(host, NULL, "own", "{\"x\": \"1\"}", &error);
        r = results[i] ? result_judge(life, results[i], "") : refused(life, &error);
        if (r == 0 && !strstr(ptc_result_value_json(results[i], NULL), i ? "line" : "\"a\":1"))
            problem_set(life, "another value", ptc_result_json(results[i], NULL));
    }
    ptc_result_free(results[0]);
    ptc_result_free(results[1]);
    ptc_host_free(host);
    return r;
}

static int text_judge(struct life *life, char *text, const char *words)
{
    int r = text ? 0 : -1;

    if (text && !strstr(text, words))
        problem_set(life, "a text without its words", text);
    ptc_free(text);
    return r;
}

static int live_texts(struct life *life)
{
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_host *host = host_make(life, &error);
    int r = host ? 0 : refused(life, &error);

    if (r == 0)
        r = text_judge(life, ptc_schema_json(host, NULL, "mcp", &error), "own");
    if (r == 0)
        r = text_judge(life, ptc_stub_text(host, NULL, &error), "def own");
    if (r == 0)
        r = text_judge(life, ptc_host_stats_json(host), "runs_started");
    if (r == 0)
        r = text_judge(life, ptc_features_json(), "landlock_abi");
    ptc_host_free(host);
    return r;
}

/* ---- the sweep ---- */

static void live_once(struct life *life, int (*live)(struct life *), long n, bool stays,
                      bool *ret_fired)
{
    long before = fault_live();
    time_t start = time(NULL);
    int r;

    life->problem = NULL;
    if (stays)
        fault_arm_from(n);
    else
        fault_arm(n);
    r = live(life);
    *ret_fired = (stays ? fault_arm_from(0) : fault_arm(0)) > 0;
    if (life->problem)
        fail_msg("allocation %ld%s: %s: %s", n, stays ? " and all after" : "", life->problem,
                 life->detail);
    if (fault_live() != before)
        fail_msg("allocation %ld%s: %ld blocks are left", n, stays ? " and all after" : "",
                 fault_live() - before);
    if (time(NULL) - start > SECONDS_MAX)
        fail_msg("allocation %ld%s: hung", n, stays ? " and all after" : "");
    if (!*ret_fired)
        assert_int_equal(r, 0);
}

static void sweep(void **state, const char *settings, int (*live)(struct life *), long step)
{
    struct harness *harness = *state;
    struct life life = {.workspace = harness->workspace, .cold = settings};
    bool fired;
    int fds, children;

    ptc_host_free(harness->host);
    harness->host = NULL;
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    live_once(&life, live, 0, false, &fired);
    fds = harness_open_fds();
    children = harness_children();
    for (int stays = 0; stays < 2; stays++) {
        long n = 1;

        do
            live_once(&life, live, n, stays, &fired);
        while (fired && (n += step));
        print_message("%ld allocations\n", n - 1);
    }
    assert_int_equal(harness_open_fds(), fds);
    assert_int_equal(harness_children(), children);
    json_set_alloc_funcs(malloc, free);
}

static void a_blocking_run(void **state)
{
    sweep(state, "{\"cold\": true}", live_blocking, 1);
}

static void a_run_in_a_loop_with_events_and_questions(void **state)
{
    sweep(state, "{\"cold\": true}", live_in_a_loop, 1);
}

static void tool_calls(void **state)
{
    sweep(state, "{\"cold\": true}", live_tool_calls, 1);
}

static void texts(void **state)
{
    sweep(state, "{}", live_texts, 1);
}

static int setup(void **state)
{
    char path[128];
    FILE *file;

    harness_setup(state);
    snprintf(path, sizeof path, "%s/f.txt", ((struct harness *)*state)->workspace);
    file = fopen(path, "w");
    fputs("line\n", file);
    return fclose(file);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, harness_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(texts),
        TEST(tool_calls),
        TEST(a_run_in_a_loop_with_events_and_questions),
        TEST(a_blocking_run),
    };

    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
