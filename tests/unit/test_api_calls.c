/* SPDX-License-Identifier: MIT
 *
 * Tools of the embedder's own: every way in which a handler can answer, and when.
 */
#include "api_harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void answer_text(ptc_call *call, void *user)
{
    const char *text = user;

    assert_int_equal(ptc_call_reply(call, text, strlen(text)), PTC_OK);
}

static void echo(ptc_call *call, void *user)
{
    size_t length;
    const char *args = ptc_call_args_json(call, &length);
    char *text = malloc(length + 64);
    int n = sprintf(text, "{\"tool\":\"%s\",\"args\":", ptc_call_tool(call));

    (void)user;
    memcpy(text + n, args, length);
    text[n + length] = '}';
    assert_int_equal(ptc_call_reply(call, text, n + length + 1), PTC_OK);
    free(text);
}

static void expect_answer(void **state, const char *answer, const char *code, const char *output)
{
    struct harness *harness = *state;
    json_t *result;

    harness_add_tool(harness->host, "odd", "", answer_text, (void *)answer);
    harness_add_tool(harness->host, "echo", "", echo, NULL);
    result = harness_run(harness, code);
    harness_expect(result, "success", output);
    json_decref(result);
}

static void echo_gets_what_was_sent(void **state)
{
    expect_answer(state, "{}",
                  "from hermes_tools import echo\n"
                  "print(echo(x={'a': [1, None, 'é\\u2028\\0']}))",
                  "{'tool': 'echo', 'args': {'x': {'a': [1, None, 'é\\u2028\\x00']}}}\n");
}

static void b16_error_is_a_dict_and_later_calls_work(void **state)
{
    expect_answer(state, "{\"error\": \"broken\"}",
                  "from hermes_tools import echo, odd, ToolError\n"
                  "try: print(odd())\n"
                  "except ToolError as e: print(e, e.result)\n"
                  "print(echo(x=1)['args'])",
                  "broken {'error': 'broken'}\n{'x': 1}\n");
}

static void b19_trailing_text_goes_to_a_hint(void **state)
{
    expect_answer(
        state, "{\"a\": 1}\n[more follows]",
        "from hermes_tools import echo, odd\n"
        "r = odd()\nprint(type(r).__name__, r['a'], r['_hint'])\nprint(echo(x=1)['args'])",
        "dict 1 [more follows]\n{'x': 1}\n");
}

static void b20_json_in_a_string_is_decoded_once_more(void **state)
{
    expect_answer(state, "\"{\\\"a\\\": 1}\"", "from hermes_tools import odd\nprint(odd()['a'])",
                  "1\n");
}

static void b22_lone_surrogate_is_replaced(void **state)
{
    expect_answer(
        state, "{\"a\": \"x\\ud800y\"}",
        "from hermes_tools import echo, odd\nprint(ascii(odd()['a']))\nprint(echo()['tool'])",
        "'x\\ufffdy'\necho\n");
}

static void answer_that_is_no_json(void **state)
{
    expect_answer(state, "oops",
                  "from hermes_tools import echo, odd\n"
                  "try: print(odd())\nexcept RuntimeError as e: print('RuntimeError')\n"
                  "print(echo()['tool'])",
                  "RuntimeError\necho\n");
}

static void answer_megabytes(ptc_call *call, void *user)
{
    size_t length = *(size_t *)user;
    char *text = malloc(length + 16);
    int n = sprintf(text, "{\"t\":\"");

    memset(text + n, 'x', length);
    memcpy(text + n + length, "\"}", 2);
    assert_int_equal(ptc_call_reply(call, text, n + length + 2), PTC_OK);
    free(text);
}

static void b29_large_answers(void **state)
{
    struct harness *harness = *state;
    size_t sizes[] = {1 << 20, 8 << 20, (64 << 20) - 4096};

    for (int i = 0; i < 3; i++) {
        ptc_host *host = harness_host(harness);
        char expected[32];
        json_t *result;

        harness_add_tool(host, "big", "", answer_megabytes, &sizes[i]);
        result = harness_run_on(host, harness->settings,
                                "from hermes_tools import big\nprint(len(big()['t']))");
        snprintf(expected, sizeof expected, "%zu\n", sizes[i]);
        harness_expect(result, "success", expected);
        json_decref(result);
        ptc_host_free(host);
    }
}

static void answer_over_the_cap(void **state)
{
    struct harness *harness = *state;
    size_t size = 65 << 20;
    json_t *result;

    harness_add_tool(harness->host, "big", "", answer_megabytes, &size);
    result =
        harness_run(harness, "from hermes_tools import big, ToolError\n"
                             "try: big()\nexcept ToolError as e: print('too large' in str(e))");
    harness_expect(result, "success", "True\n");
    json_decref(result);
}

/* ---- late answers ---- */

struct waiting {
    pthread_mutex_t lock;
    ptc_call *calls[128];
    int count, most;
};

static void keep(ptc_call *call, void *user)
{
    struct waiting *waiting = user;

    pthread_mutex_lock(&waiting->lock);
    waiting->calls[waiting->count++] = call;
    if (waiting->count > waiting->most)
        waiting->most = waiting->count;
    pthread_mutex_unlock(&waiting->lock);
}

/* Answers in reverse order once ten wait: only overlapping calls can get there. */
static void *answer_ten(void *user)
{
    struct waiting *waiting = user;

    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&waiting->lock);
        if (waiting->count == 10) {
            while (waiting->count)
                echo(waiting->calls[--waiting->count], NULL);
            pthread_mutex_unlock(&waiting->lock);
            return NULL;
        }
        pthread_mutex_unlock(&waiting->lock);
        usleep(10000);
    }
    return NULL;
}

static void c05_calls_overlap_and_answers_come_from_a_thread(void **state)
{
    struct harness *harness = *state;
    struct waiting waiting = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    json_t *result;

    harness_add_tool(harness->host, "slow", "\"parallel_safe\"", keep, &waiting);
    assert_int_equal(pthread_create(&thread, NULL, answer_ten, &waiting), 0);
    result = harness_run(
        harness, "from concurrent.futures import ThreadPoolExecutor as T\n"
                 "from hermes_tools import slow\n"
                 "print([r['args']['x'] for r in T(10).map(lambda i: slow(x=i), range(10))])");
    pthread_join(thread, NULL);
    harness_expect(result, "success", "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n");
    assert_int_equal(waiting.most, 10);
    json_decref(result);
}

static void answer_after_the_run_is_dropped(void **state)
{
    struct harness *harness = *state;
    struct waiting waiting = {.lock = PTHREAD_MUTEX_INITIALIZER};
    json_t *result;

    harness_set(harness, "timeout", "0.3");
    harness_add_tool(harness->host, "slow", "", keep, &waiting);
    result = harness_run(harness, "from hermes_tools import slow\nslow()");
    assert_string_equal(harness_text(result, "status"), "timeout");
    json_decref(result);
    assert_int_equal(waiting.count, 1);
    assert_int_equal(ptc_call_reply(waiting.calls[0], "{}", 2), PTC_E_STATE);
    result = harness_run(harness, "print('next')");
    harness_expect(result, "success", "next\n");
    json_decref(result);
}

/* Handlers that do not hear of a cancellation: the script may go on, within bounds. */
static void given_up_calls_are_no_violation(void **state)
{
    struct harness *harness = *state;
    struct waiting waiting = {.lock = PTHREAD_MUTEX_INITIALIZER};
    json_t *result;

    harness_set(harness, "max_tool_calls", "0");
    harness_add_tool(harness->host, "slow", "\"parallel_safe\"", keep, &waiting);
    result = harness_run(harness, "import asyncio\n"
                                  "from hermes_tools import aio\n"
                                  "for i in range(100):\n"
                                  "    try: await asyncio.wait_for(aio.slow(), 0.002)\n"
                                  "    except TimeoutError: pass\n"
                                  "print('end')");
    harness_expect(result, "success", "end\n");
    json_decref(result);
    assert_int_equal(waiting.count, 100);
    for (int i = 0; i < waiting.count; i++)
        ptc_call_reply(waiting.calls[i], "{}", 2);
}

static void answer_after_the_host_is_gone(void **state)
{
    struct harness *harness = *state;
    struct waiting waiting = {.lock = PTHREAD_MUTEX_INITIALIZER};
    ptc_host *host = harness_host(harness);
    json_t *result;

    harness_set(harness, "timeout", "0.3");
    harness_add_tool(host, "slow", "", keep, &waiting);
    result = harness_run_on(host, harness->settings, "from hermes_tools import slow\nslow()");
    json_decref(result);
    ptc_host_free(host);
    assert_int_equal(ptc_call_reply(waiting.calls[0], "{}", 2), PTC_E_STATE);
}

static void bad_tool_descriptions(void **state)
{
    static const char *const specs[] = {
        "",
        "[]",
        "{}",
        "{\"name\": 1}",
        "{\"name\": \"\"}",
        "{\"name\": \"ok\", \"parameters\": []}",
    };
    struct harness *harness = *state;

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ptc_error error = PTC_ERROR_INIT;

        assert_int_equal(ptc_host_add_tool(harness->host, specs[i], echo, NULL, NULL, &error),
                         PTC_E_INVALID);
        assert_true(strlen(error.message) > 0);
    }
    assert_int_equal(harness_add_tool(harness->host, "one", "", echo, NULL), PTC_OK);
    assert_int_equal(harness_add_tool(harness->host, "one", "", echo, NULL), PTC_E_INVALID);
    /* One of ours: no run could have both. */
    assert_int_equal(harness_add_tool(harness->host, "read_file", "", echo, NULL), PTC_E_INVALID);
    assert_int_equal(harness_add_tool(harness->host, "web_search", "", echo, NULL), PTC_E_INVALID);
}

static void arguments_are_checked_before_the_handler(void **state)
{
    struct harness *harness = *state;
    struct ptc_error error = PTC_ERROR_INIT;
    json_t *result;

    assert_int_equal(ptc_host_add_tool(
                         harness->host,
                         "{\"name\": \"typed\", \"description\": \"d\", \"parameters\": {\"type\": "
                         "\"object\", \"properties\": {\"n\": {\"type\": \"integer\"}, \"s\": "
                         "{\"type\": \"string\", \"default\": \"q\"}}, \"required\": [\"n\"]}}",
                         echo, NULL, NULL, &error),
                     PTC_OK);
    result = harness_run(harness, "from hermes_tools import typed, ToolError\n"
                                  "print(typed(3)['args'])\n"
                                  "try: typed([1])\nexcept ToolError as e: print('n' in str(e))\n"
                                  "try: typed()\nexcept TypeError as e: print(e)\n");
    harness_expect(result, "success",
                   "{'n': 3, 's': 'q'}\nTrue\n"
                   "typed() missing 1 required positional argument: 'n'\n");
    assert_int_equal(json_integer_value(json_object_get(result, "tool_calls_made")), 1);
    json_decref(result);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, harness_setup, harness_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(echo_gets_what_was_sent),
        TEST(b16_error_is_a_dict_and_later_calls_work),
        TEST(b19_trailing_text_goes_to_a_hint),
        TEST(b20_json_in_a_string_is_decoded_once_more),
        TEST(b22_lone_surrogate_is_replaced),
        TEST(answer_that_is_no_json),
        TEST(b29_large_answers),
        TEST(answer_over_the_cap),
        TEST(c05_calls_overlap_and_answers_come_from_a_thread),
        TEST(answer_after_the_run_is_dropped),
        TEST(given_up_calls_are_no_violation),
        TEST(answer_after_the_host_is_gone),
        TEST(bad_tool_descriptions),
        TEST(arguments_are_checked_before_the_handler),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
