/* SPDX-License-Identifier: MIT
 *
 * Events and decisions: what an embedder sees of a run, and how it, or a person, has a say in it.
 */
#include "api_harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct seen {
    char log[4096];
    int heartbeats, ended;
    int (*decide)(ptc_call *call, struct seen *seen);
    ptc_call *asked;
    int questions;
    pthread_t thread;
    ptc_run_handle *cancel;
};

static void note(struct seen *seen, const char *format, ...)
{
    size_t length = strlen(seen->log);
    va_list args;

    va_start(args, format);
    vsnprintf(seen->log + length, sizeof seen->log - length, format, args);
    va_end(args);
}

static void on_event(void *user, const struct ptc_event *event)
{
    struct seen *seen = user;

    assert_true(event->struct_size >= sizeof *event);
    switch (event->type) {
    case PTC_EVENT_OUTPUT:
        note(seen, "out%d:%.*s ", event->stream, (int)event->length, event->data);
        break;
    case PTC_EVENT_CALL_STARTED:
        note(seen, "start:%s#%d:%.*s ", event->tool, (int)event->call, (int)event->length,
             event->data);
        break;
    case PTC_EVENT_CALL_ENDED:
        note(seen, "end:%s#%d:%d ", event->tool, (int)event->call, event->ok);
        break;
    case PTC_EVENT_HEARTBEAT:
        seen->heartbeats++;
        break;
    case PTC_EVENT_ENDED:
        seen->ended++;
        assert_non_null(ptc_run_result(event->run));
        break;
    }
}

static int on_policy(ptc_call *call, void *user)
{
    struct seen *seen = user;

    seen->questions++;
    assert_ptr_equal(ptc_call_run_user(call), user);
    return seen->decide(call, seen);
}

static json_t *run_seen(struct harness *harness, const char *code, struct seen *seen)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_result *result;
    json_t *json;

    options.code = code;
    options.settings = harness->settings;
    options.user = seen;
    options.event = on_event;
    options.policy = seen->decide ? on_policy : NULL;
    result = ptc_run(harness->host, &options, &error);
    if (!result)
        fail_msg("no result: %s", error.message);
    json = json_loads(ptc_result_json(result, NULL), JSON_ALLOW_NUL, NULL);
    ptc_result_free(result);
    assert_int_equal(seen->ended, 1);
    return json;
}

/* ---- events ---- */

static void c16_pairs_in_order_and_none_for_refused_calls(void **state)
{
    struct seen seen = {0};
    json_t *result;

    harness_set(*state, "max_tool_calls", "2");
    result = run_seen(*state,
                      "from hermes_tools import read_file\n"
                      "for i in range(4): read_file('x%d' % i)\n"
                      "print('a', end='')",
                      &seen);
    harness_expect(result, "success", "a");
    assert_non_null(strstr(seen.log, "start:read_file#1:{\"path\":\"x0\""));
    assert_non_null(strstr(seen.log, "end:read_file#1:0 start:read_file#2:"));
    assert_non_null(strstr(seen.log, "end:read_file#2:0 out1:a "));
    assert_null(strstr(seen.log, "#3"));
    json_decref(result);
}

static void every_started_call_ends_also_at_a_timeout(void **state)
{
    struct seen seen = {0};
    json_t *result;

    harness_set(*state, "timeout", "0.5");
    result = run_seen(*state, "from hermes_tools import terminal\nterminal('sleep 60')", &seen);
    assert_string_equal(harness_text(result, "status"), "timeout");
    assert_non_null(strstr(seen.log, "start:terminal#1"));
    assert_non_null(strstr(seen.log, "end:terminal#1:0"));
    json_decref(result);
}

static void e17_heartbeats(void **state)
{
    struct seen seen = {0};

    harness_set(*state, "heartbeat", "0.05");
    json_decref(run_seen(*state, "import time\ntime.sleep(0.6)", &seen));
    assert_true(seen.heartbeats >= 4);
    seen = (struct seen){0};
    harness_set(*state, "heartbeat", "0");
    json_decref(run_seen(*state, "import time\ntime.sleep(0.2)", &seen));
    assert_int_equal(seen.heartbeats, 0);
}

/* ---- policy ---- */

static int deny_terminal(ptc_call *call, struct seen *seen)
{
    (void)seen;
    return strcmp(ptc_call_tool(call), "terminal") == 0 ? PTC_DENY : PTC_ALLOW;
}

static void a_denied_call_is_an_error_and_not_counted(void **state)
{
    struct seen seen = {.decide = deny_terminal};
    json_t *result = run_seen(*state,
                              "from hermes_tools import read_file, terminal\n"
                              "print(terminal('echo hi')['error'])\n"
                              "print(read_file('x')['error'])\n",
                              &seen);

    harness_expect(result, "success",
                   "terminal was denied by the policy of this run\nFile not found: x\n");
    assert_int_equal(json_integer_value(json_object_get(result, "tool_calls_made")), 1);
    assert_int_equal(seen.questions, 2);
    assert_null(strstr(seen.log, "start:terminal"));
    json_decref(result);
}

static int answer_nonsense(ptc_call *call, struct seen *seen)
{
    (void)call;
    (void)seen;
    return 77;
}

static void anything_else_than_an_answer_denies(void **state)
{
    struct seen seen = {.decide = answer_nonsense};
    json_t *result = run_seen(
        *state, "from hermes_tools import read_file\nprint('denied' in read_file('x')['error'])",
        &seen);

    harness_expect(result, "success", "True\n");
    json_decref(result);
}

static void *decide_later(void *user)
{
    struct seen *seen = user;

    usleep(700000);
    assert_non_null(strstr(ptc_call_args_json(seen->asked, NULL), "echo hi"));
    assert_int_equal(ptc_call_decide(seen->asked, PTC_ALLOW, NULL), PTC_OK);
    return NULL;
}

static int ask_about_terminal(ptc_call *call, struct seen *seen)
{
    if (strcmp(ptc_call_tool(call), "terminal") != 0)
        return PTC_ALLOW;
    seen->asked = call;
    pthread_create(&seen->thread, NULL, decide_later, seen);
    return PTC_ASK;
}

/* The limit is shorter than the person's thinking, and a thread of the script counts on: neither may
 * notice. */
static void a_run_stands_still_while_a_person_decides(void **state)
{
    struct seen seen = {.decide = ask_about_terminal};
    json_t *result, *usage;

    harness_set(*state, "timeout", "0.6");
    result = run_seen(*state,
                      "import threading, time\n"
                      "from hermes_tools import terminal\n"
                      "ticks = 0\n"
                      "def count():\n"
                      "    global ticks\n"
                      "    while True:\n"
                      "        time.sleep(0.02); ticks += 1\n"
                      "threading.Thread(target=count, daemon=True).start()\n"
                      "print(terminal('echo hi')['output'].strip(), ticks < 15)",
                      &seen);
    pthread_join(seen.thread, NULL);
    harness_expect(result, "success", "hi True\n");
    usage = json_object_get(result, "usage");
    assert_true(json_real_value(json_object_get(usage, "waiting_seconds")) > 0.5);
    json_decref(result);
}

static int deny_from_inside(ptc_call *call, struct seen *seen)
{
    (void)seen;
    assert_int_equal(ptc_call_decide(call, PTC_DENY, "not on a Sunday"), PTC_OK);
    return PTC_ASK;
}

static void a_reason_reaches_the_script(void **state)
{
    struct seen seen = {.decide = deny_from_inside};
    json_t *result = run_seen(
        *state, "from hermes_tools import read_file\nprint(read_file('x')['error'])", &seen);

    harness_expect(result, "success", "read_file was denied: not on a Sunday\n");
    json_decref(result);
}

static int ask_nobody(ptc_call *call, struct seen *seen)
{
    seen->asked = call;
    return PTC_ASK;
}

static void nobody_answers(void **state)
{
    struct seen seen = {.decide = ask_nobody};
    json_t *result;

    harness_set(*state, "ask_timeout", "0.3");
    result = run_seen(*state, "from hermes_tools import read_file\nprint(read_file('x')['error'])",
                      &seen);
    harness_expect(result, "success", "read_file was denied: nobody has answered in time\n");
    assert_int_equal(ptc_call_decide(seen.asked, PTC_ALLOW, NULL), PTC_E_STATE);
    json_decref(result);
}

static void *cancel_later(void *run)
{
    usleep(300000);
    ptc_run_cancel(run, NULL);
    return NULL;
}

static void cancelled_while_a_person_decides(void **state)
{
    struct harness *harness = *state;
    struct seen seen = {.decide = ask_nobody};
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_run_handle *run;
    pthread_t thread;

    options.code = "from hermes_tools import read_file\nread_file('x')";
    options.settings = harness->settings;
    options.user = &seen;
    options.policy = on_policy;
    run = ptc_run_start(harness->host, &options, NULL);
    for (int i = 0; i < 2000 && !seen.asked;
         i++) { /* a start may take longer than the thread waits */
        ptc_host_dispatch(harness->host, 0);
        usleep(10000);
    }
    assert_non_null(seen.asked);
    pthread_create(&thread, NULL, cancel_later, run);
    assert_string_equal(ptc_result_status(harness_wait(harness->host, run)), "interrupted");
    pthread_join(thread, NULL);
    ptc_run_free(run);
    assert_int_equal(ptc_call_decide(seen.asked, PTC_ALLOW, NULL),
                     PTC_OK); /* taken, of no effect */
}

/* ---- callbacks that do things ---- */

static void start_and_cancel(void *user, const struct ptc_event *event)
{
    struct harness *harness = user;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_run_handle *other;

    if (event->type != PTC_EVENT_OUTPUT)
        return;
    assert_null(ptc_run(harness->host, &options, &error)); /* blocks: refused, not a hang */
    assert_int_equal(ptc_host_dispatch(harness->host, 0), PTC_E_STATE);
    options.code = "pass";
    options.settings = harness->settings;
    other = ptc_run_start(harness->host, &options, NULL);
    assert_non_null(other);
    ptc_run_free(other);
    ptc_run_cancel(event->run, "from a callback");
}

static void a_callback_starts_frees_and_cancels_runs(void **state)
{
    struct harness *harness = *state;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_result *result;

    options.code = "print('x', flush=True)\nimport time\ntime.sleep(60)";
    options.settings = harness->settings;
    options.user = harness;
    options.event = start_and_cancel;
    result = ptc_run(harness->host, &options, NULL);
    assert_string_equal(ptc_result_status(result), "interrupted");
    assert_non_null(strstr(ptc_result_error(result), "from a callback"));
    ptc_result_free(result);
}

static void free_itself(void *user, const struct ptc_event *event)
{
    int *freed = user;

    if (event->type == PTC_EVENT_OUTPUT && !(*freed)++)
        ptc_run_free(event->run);
}

static void a_callback_frees_its_own_run(void **state)
{
    struct harness *harness = *state;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    int freed = 0;

    options.code = "print('x', flush=True)\nimport time\ntime.sleep(60)";
    options.settings = harness->settings;
    options.user = &freed;
    options.event = free_itself;
    assert_non_null(ptc_run_start(harness->host, &options, NULL));
    for (int i = 0; i < 5000 && !freed; i++) {
        usleep(1000);
        ptc_host_dispatch(harness->host, 0);
    }
    assert_int_equal(freed, 1);
    json_decref(harness_run(harness, "pass"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, harness_setup, harness_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(c16_pairs_in_order_and_none_for_refused_calls),
        TEST(every_started_call_ends_also_at_a_timeout),
        TEST(e17_heartbeats),
        TEST(a_denied_call_is_an_error_and_not_counted),
        TEST(anything_else_than_an_answer_denies),
        TEST(a_run_stands_still_while_a_person_decides),
        TEST(a_reason_reaches_the_script),
        TEST(nobody_answers),
        TEST(cancelled_while_a_person_decides),
        TEST(a_callback_starts_frees_and_cancels_runs),
        TEST(a_callback_frees_its_own_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
