/* SPDX-License-Identifier: MIT
 *
 * The budget of a dispatch: work on large calls is cut into slices, the slices change nothing, and a
 * run may end between any two of them. Time itself is measured by the bench, not here.
 */
#include "api_harness.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_BYTES (64 << 10)
#define SPEC                                                                                       \
    "{\"name\": \"%s\", \"description\": \"d\", \"flags\": [\"parallel_safe\"], \"parameters\": "  \
    "{\"type\": \"object\", \"properties\": {\"x\": {}, \"n\": {\"type\": \"integer\", "           \
    "\"default\": 7}}}}"

struct seen {
    size_t bytes, count;
    char order[64];
    ptc_call *kept;
};

static void add_tool(ptc_host *host, const char *name, ptc_tool_fn fn, void *user)
{
    char spec[512];

    snprintf(spec, sizeof spec, SPEC, name);
    assert_int_equal(ptc_host_add_tool(host, spec, fn, user, NULL, NULL), PTC_OK);
}

/* Answers with the arguments themselves. */
static void echo(ptc_call *call, void *user)
{
    struct seen *seen = user;
    size_t length;
    const char *args = ptc_call_args_json(call, &length);

    seen->bytes += length;
    snprintf(seen->order + strlen(seen->order), sizeof seen->order - strlen(seen->order), "%u ",
             (unsigned)ptc_call_number(call));
    seen->count++;
    assert_int_equal(ptc_call_reply(call, args, length), PTC_OK);
}

static void keep(ptc_call *call, void *user)
{
    ((struct seen *)user)->kept = call;
}

static ptc_run_handle *start(struct harness *harness, const char *code)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_run_handle *run;

    options.code = code;
    options.settings = harness->settings;
    run = ptc_run_start(harness->host, &options, NULL);
    assert_non_null(run);
    return run;
}

/* One dispatch of one microsecond. */
static void turn(ptc_host *host)
{
    struct pollfd fd = {.fd = ptc_host_fd(host), .events = POLLIN};

    poll(&fd, 1, ptc_host_timeout_ms(host));
    assert_true(ptc_host_dispatch(host, 1) >= 0);
}

static unsigned turns_until_end(ptc_host *host, ptc_run_handle *run)
{
    unsigned turns = 0;

    for (; !ptc_run_result(run); turns++)
        turn(host);
    return turns;
}

static void expect_success(ptc_run_handle *run, const char *output)
{
    const ptc_result *result = ptc_run_result(run);

    if (strcmp(ptc_result_status(result), "success") != 0 ||
        strcmp(ptc_result_output(result, NULL), output) != 0)
        fail_msg("%s", ptc_result_json(result, NULL));
    ptc_run_free(run);
}

static void run_sliced(struct harness *harness, const char *code)
{
    ptc_run_handle *run = start(harness, code);

    turns_until_end(harness->host, run);
    expect_success(run, "ok\n");
}

/* ---- slices change nothing ---- */

static void sizes_around_every_border(void **state)
{
    struct harness *harness = *state;
    struct seen seen = {0};

    add_tool(harness->host, "echo", echo, &seen);
    run_sliced(harness,
               "from hermes_tools import echo\n"
               "for n in [0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 16384, 16385, 65000, 65534, "
               "65535, 65536, 65537, 131071, 131072, 131073, 262144, 262145, 524289]:\n"
               "    for c in ('a', '\"', '\\n', 'é', '€', '😀', 'a😀é'):\n"
               "        s = 'x' * (n % 5) + c * (n // len(c.encode()))\n"
               "        r = echo(x=s)\n"
               "        assert r['x'] == s and r['n'] == 7, (n, c)\n"
               "print('ok')");
}

static void structured_arguments(void **state)
{
    struct harness *harness = *state;
    struct seen seen = {0};

    add_tool(harness->host, "echo", echo, &seen);
    run_sliced(harness,
               "from hermes_tools import echo\n"
               "for v in ([[]] * 20000, [[]] * 60000, list(range(30000)),\n"
               "          [{'k': i, 'v': 'text \"%d\"' % i} for i in range(20000)],\n"
               "          {'a%d' % i: i / 7 for i in range(9000)}, ['y' * 5000] * 40,\n"
               "          {'deep': [['z' * 70000, 1], {'q': 'w' * 4097}]}, 'a' * 100000):\n"
               "    r = echo(x=v, n=3)\n"
               "    assert r == {'x': v, 'n': 3}, repr(r)[:200]\n"
               "print('ok')");
}

/* The call channel as hostile code would use it. */
static const char forge[] =
    "import json, os, struct\n"
    "fd = next(int(n) for n in os.listdir('/proc/self/fd')\n"
    "          if os.path.realpath('/proc/self/fd/' + n).split('/')[-1].startswith('socket:'))\n"
    "def get(n):\n"
    "    b = b''\n"
    "    while len(b) < n: b += os.read(fd, n - len(b))\n"
    "    return b\n"
    "def call(id, head, body=b'', flags=0):\n"
    "    head = head if isinstance(head, bytes) else json.dumps(head).encode()\n"
    "    data = memoryview(struct.pack('<IIQHHI', len(head), len(body), id, 2, flags, 0) + head + "
    "body)\n"
    "    while data: data = data[os.write(fd, data):]\n"
    "    h, b, got, kind, flags, _ = struct.unpack('<IIQHHI', get(24))\n"
    "    assert (got, kind) == (id, 3), (got, kind)\n"
    "    head, body = json.loads(get(h)), get(b)\n"
    "    return json.loads(body) if flags & 2 else head['result']\n";

static void run_forged(struct harness *harness, const char *code)
{
    char text[8192];

    snprintf(text, sizeof text, "%s%s", forge, code);
    run_sliced(harness, text);
}

static void bytes_that_are_no_text(void **state)
{
    struct harness *harness = *state;
    struct seen seen = {0};

    add_tool(harness->host, "echo", echo, &seen);
    run_forged(harness,
               "id = 0\n"
               "for n in range(65530, 65540):\n"
               "    for bad in (b'\\xff', b'\\xf0\\x9f\\x98', b'\\xe2\\x82\\xe2\\x82', b'\\xc3'):\n"
               "        id += 1\n"
               "        body = b'a' * n + bad + b'b' * 70000\n"
               "        r = call(id, {'tool': 'echo', 'args': {'x': None},\n"
               "                      'bodies': [[len(body), 'args', 'x']]}, body)\n"
               "        assert r['x'] == body.decode('utf-8', 'replace'), (n, bad)\n"
               "        body = b'{\"x\": [\"' + body + b'\\\\ud800\"]}'\n"
               "        id += 1\n"
               "        r = call(id, {'tool': 'echo'}, body, 2)\n"
               "        assert r['x'][0] == body[8:-9].decode('utf-8', 'replace') + '\\ufffd'\n"
               "print('ok')");
}

/* Bodies that are short, many, or given for what takes no text. */
static void bodies_of_every_kind(void **state)
{
    struct harness *harness = *state;
    struct seen seen = {0};

    add_tool(harness->host, "echo", echo, &seen);
    run_forged(harness,
               "texts = ['t%d' % i * (i * i * 7) for i in range(60)]\n"
               "body = ''.join(texts).encode()\n"
               "bodies = [[len(t.encode()), 'args', 'x', i] for i, t in enumerate(texts)]\n"
               "r = call(1, {'tool': 'echo', 'args': {'x': [None] * 60}, 'bodies': bodies}, body)\n"
               "assert r['x'] == texts\n"
               "body = b'q' * 70000\n"
               "r = call(2, {'tool': 'echo', 'args': {'n': None},\n"
               "             'bodies': [[70000, 'args', 'n']]}, body)\n"
               "assert r['n'] == 7, str(r)[:100]\n"
               "open('f', 'w').write('line\\n' * 3)\n"
               "r = call(3, {'tool': 'read_file', 'args': {'path': 'f', 'offset': None},\n"
               "             'bodies': [[70000, 'args', 'offset']]}, body)\n"
               "assert r['content'].count('line') == 3 and 'offset' in r['_warning'], r\n"
               "r = call(4, {'tool': 'echo', 'args': {'x': [[]] * 9000}})\n"
               "assert r['x'] == [[]] * 9000\n"
               "r = call(5, {'tool': 'nothing'}, b'{\"x\": [' + b'1,' * 9000 + b'1]}', 2)\n"
               "assert 'not available' in r['error'], r\n"
               "r = call(6, {'tool': 'echo'}, b'{\"y\": [' + b'1,' * 9000 + b'1]}', 2)\n"
               "assert 'unexpected' in r['error'], r\n"
               "print('ok')");
}

static void violations_of_large_calls(void **state)
{
    static const char *const calls[] = {
        "call(1, {'tool': 'echo'}, b'{\"x\": [' + b'1,' * 90000 + b']}', 2)",
        "call(1, {'tool': 'echo'}, b'[' + b'1,' * 90000 + b'1]', 2)",
        "call(1, {'tool': 'echo'}, b'{\"x\": 1, \"x\": [' + b'1,' * 90000 + b'1]}', 2)",
        "call(1, {'tool': 'echo', 'args': {}}, b'{}' + b' ' * 90000, 2)",
        "call(1, {'tool': 'echo', 'args': {'x': None}, 'bodies': [[9, 'args', 'x']]}, b'z' * "
        "90000)",
        "call(1, {'tool': 'echo', 'args': {'x': 1}, 'bodies': [[90000, 'args', 'x']]}, b'z' * "
        "90000)",
        "call(1, b'{\"tool\":\"echo\",\"args\":{},\"args\":[' + b'1,' * 9000 + b'1]}')",
        "call(1, b'{\"args\":{\"x\":[' + b'1,' * 9000 + b'1]}}')",
        "call(1, b'{\"tool\":\"echo\",\"args\":[' + b'1,' * 9000 + b'1]}')",
    };
    struct harness *harness = *state;
    struct seen seen = {0};

    add_tool(harness->host, "echo", echo, &seen);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char text[8192];
        ptc_run_handle *run;

        snprintf(text, sizeof text, "%s%s", forge, calls[i]);
        run = start(harness, text);
        turns_until_end(harness->host, run);
        if (strcmp(ptc_result_status(ptc_run_result(run)), "protocol_error") != 0)
            fail_msg("%s: %s", calls[i], ptc_result_json(ptc_run_result(run), NULL));
        ptc_run_free(run);
    }
    assert_int_equal(seen.count, 0);
}

static void local_tools_both_ways(void **state)
{
    struct harness *harness = *state;

    run_sliced(harness, "from hermes_tools import write_file, read_file\n"
                        "for n in (1000, 4097, 65536, 300000, 3 << 20):\n"
                        "    s = ('é' * 49 + '\\n') * (n // 99)\n"
                        "    write_file('f', s)\n"
                        "    assert open('f').read() == s, n\n"
                        "    assert read_file('f', raw=True)['content'] == s, n\n"
                        "print('ok')");
}

/* A word of the host's goes into an answer whose body it does not touch. */
static void warning_in_a_large_answer(void **state)
{
    struct harness *harness = *state;

    run_sliced(harness, "from hermes_tools import read_file\n"
                        "open('f', 'w').write(('q' * 99 + '\\n') * 900)\n"
                        "r = read_file('f', limit='900')\n"
                        "assert 'limit' in r['_warning'] and r['content'].count('q') == 89100, r\n"
                        "print('ok')");
}

static void answers_keep_their_order(void **state)
{
    struct harness *harness = *state;
    struct seen seen = {0};

    add_tool(harness->host, "echo", echo, &seen);
    run_sliced(harness,
               "import threading, time\n"
               "from hermes_tools import echo\n"
               "def f(i): assert echo(x=str(i) * (300000 if i % 2 else 3))['x'][0] == str(i)\n"
               "t = [threading.Thread(target=f, args=(i,)) for i in range(8)]\n"
               "for i in t: i.start(); time.sleep(0.01)\n"
               "for i in t: i.join()\n"
               "print('ok')");
    assert_string_equal(seen.order, "1 2 3 4 5 6 7 8 ");
}

/* ---- work is cut ---- */

static void one_turn_does_one_slice(void **state)
{
    struct harness *harness = *state;
    struct seen seen = {0};
    ptc_run_handle *run;
    unsigned turns;

    add_tool(harness->host, "keep", keep, &seen);
    run = start(harness, "from hermes_tools import keep\nkeep(x='a' * (16 << 20))");
    for (turns = 0; !seen.kept; turns++)
        turn(harness->host);
    /* 256 KiB come in at a time, 64 KiB are written at a time. */
    assert_true(turns >= (16u << 20) / SLICE_BYTES);
    assert_int_equal(ptc_call_reply(seen.kept, "{}", 2), PTC_OK);
    turns_until_end(harness->host, run);
    ptc_run_free(run);
}

static void arguments_without_a_script_too(void **state)
{
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    struct harness *harness = *state;
    struct seen seen = {0};
    size_t length = 4 << 20;
    char *args = calloc(1, length + 1);
    ptc_run_handle *run;

    memset(args, 'a', length);
    memcpy(args, "{\"x\":\"", 6);
    memcpy(args + length - 2, "\"}", 2);
    add_tool(harness->host, "echo", echo, &seen);
    options.tool = "echo";
    options.tool_args_json = args;
    run = ptc_run_start(harness->host, &options, NULL);
    free(args);
    assert_non_null(run);
    assert_true(turns_until_end(harness->host, run) >= (4u << 20) / SLICE_BYTES);
    assert_int_equal(seen.bytes, length + strlen(",\"n\":7"));
    assert_string_equal(ptc_result_status(ptc_run_result(run)), "success");
    ptc_run_free(run);
}

static void a_large_answer_leaves_in_slices(void **state)
{
    struct harness *harness = *state;
    struct seen seen = {0};
    size_t length = 16 << 20;
    char *text = malloc(length);
    ptc_run_handle *run;

    memset(text, ' ', length);
    memcpy(text, "{\"x\":1", 6);
    text[length - 1] = '}';
    add_tool(harness->host, "keep", keep, &seen);
    run = start(harness, "from hermes_tools import keep\nprint(keep())");
    while (!seen.kept)
        turn(harness->host);
    assert_int_equal(ptc_call_reply(seen.kept, text, length), PTC_OK);
    free(text);
    assert_true(turns_until_end(harness->host, run) >= (16u << 20) / (256u << 10));
    expect_success(run, "{'x': 1}\n");
}

/* ---- the end comes in the middle ---- */

static const char *const large_calls[] = {
    "echo(x='\\n' * (3 << 20))",  "echo(x=[{'k': i} for i in range(80000)])",
    "echo(x=[[]] * 20000)",       "write_file('f', 'w' * (3 << 20))",
    "read_file('big', raw=True)",
};

/* Ends the run after so many turns; everything that was begun is let go of (ASan looks). */
static void end_after(struct harness *harness, const char *code, unsigned turns, bool cancel)
{
    ptc_run_handle *run = start(harness, code);

    for (unsigned i = 0; i < turns && !ptc_run_result(run); i++)
        turn(harness->host);
    if (cancel) {
        ptc_run_cancel(run, "enough");
        turns_until_end(harness->host, run);
    }
    ptc_run_free(run);
}

static void a_run_ends_between_any_two_slices(void **state)
{
    struct harness *harness = *state;
    struct seen seen = {0};

    add_tool(harness->host, "echo", echo, &seen);
    for (size_t i = 0; i < sizeof large_calls / sizeof *large_calls; i++) {
        char code[512];

        snprintf(code, sizeof code,
                 "from hermes_tools import echo, write_file, read_file\n"
                 "open('big', 'w').write(('r' * 99 + '\\n') * 30000)\nwhile 1: %s",
                 large_calls[i]);
        for (unsigned turns = 5; turns < 150; turns += 13)
            end_after(harness, code, turns, turns % 2);
    }
    run_sliced(harness, "print('ok')"); /* the host is as good as before */
}

static void the_host_goes_between_any_two_slices(void **state)
{
    struct harness *harness = *state;
    struct seen seen = {0};

    for (unsigned turns = 5; turns < 120; turns += 19) {
        struct harness other = *harness;
        ptc_run_handle *run;

        other.host = harness_host(harness);
        add_tool(other.host, "echo", echo, &seen);
        run = start(&other, "from hermes_tools import echo\nwhile 1: echo(x='a' * (4 << 20))");
        for (unsigned i = 0; i < turns; i++)
            turn(other.host);
        ptc_run_free(run);
        ptc_host_free(other.host);
    }
}

static void a_script_that_dies_in_the_middle(void **state)
{
    struct harness *harness = *state;
    struct seen seen = {0};
    ptc_run_handle *run;

    add_tool(harness->host, "echo", echo, &seen);
    run = start(harness,
                "import os, threading, time\n"
                "from hermes_tools import echo\n"
                "threading.Thread(target=lambda: echo(x='a' * (8 << 20)), daemon=True).start()\n"
                "time.sleep(0.2)\nprint('dies')\nos._exit(0)");
    turns_until_end(harness->host, run);
    ptc_run_free(run);
    run_sliced(harness, "print('ok')");
}

static int setup(void **state)
{
    int r = harness_setup(state);

    harness_set(*state, "max_tool_calls", "0");
    return r;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, harness_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sizes_around_every_border),
        TEST(structured_arguments),
        TEST(bytes_that_are_no_text),
        TEST(bodies_of_every_kind),
        TEST(violations_of_large_calls),
        TEST(local_tools_both_ways),
        TEST(warning_in_a_large_answer),
        TEST(answers_keep_their_order),
        TEST(one_turn_does_one_slice),
        TEST(arguments_without_a_script_too),
        TEST(a_large_answer_leaves_in_slices),
        TEST(a_run_ends_between_any_two_slices),
        TEST(the_host_goes_between_any_two_slices),
        TEST(a_script_that_dies_in_the_middle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
