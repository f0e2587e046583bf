/* SPDX-License-Identifier: MIT
 *
 * tools_serve over a socketpair: parallel calls, cancel, end of file, violations.
 */
#include "test_tools_fixture.h"

#include "base/clock.h"
#include "wire/frame.h"
#include "wire/message.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

struct service {
    struct fixture *f;
    int host, tools; /* the two ends */
    pthread_t thread;
    int result;
    struct frame_reader reader;
};

static void *serve(void *user)
{
    struct service *s = user;

    s->result = tools_serve(s->tools, &s->f->config);
    return NULL;
}

static void service_start(struct service *s, struct fixture *f)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    *s = (struct service){.f = f, .host = ends[0], .tools = ends[1]};
    frame_reader_init(&s->reader, FRAME_BYTES_MAX);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

/* What tools_serve returned. */
static int service_end(struct service *s)
{
    shutdown(s->host, SHUT_WR);
    pthread_join(s->thread, NULL);
    close(s->host);
    close(s->tools);
    frame_reader_deinit(&s->reader);
    return s->result;
}

static void send_call(struct service *s, uint64_t id, const char *tool, json_t *args, int deadline)
{
    json_t *head =
        json_pack("{s:s, s:o, s:i}", "tool", tool, "args", args, "deadline_ms", deadline);
    struct message_encoded message = {0};
    struct frame_header header = {.id = id, .type = FRAME_CALL};
    struct frame_part part;

    assert_int_equal(message_encode(head, "args", &message), 0);
    part = (struct frame_part){message.head.data, message.head.length};
    header.flags = message.flags;
    assert_int_equal(frame_send(s->host, &header, &part, message.parts, message.part_count), 0);
    message_encoded_deinit(&message);
    json_decref(head);
}

static void send_command(struct service *s, uint64_t id, const char *command)
{
    send_call(s, id, "terminal", json_pack("{s:s}", "command", command), 0);
}

static void send_cancel(struct service *s, uint64_t id)
{
    struct frame_header header = {.id = id, .type = FRAME_CANCEL};
    struct frame_part part = {"{}", 2};

    assert_int_equal(frame_send(s->host, &header, &part, NULL, 0), 0);
}

/* The next answer's result; the caller owns it. */
static json_t *receive(struct service *s, uint64_t *ret_id)
{
    struct frame frame;
    json_t *head = NULL, *result = NULL;
    int r = 0;

    while ((r = frame_reader_next(&s->reader, &frame)) == 0) {
        assert_true(frame_reader_fill(&s->reader, s->host, 0) > 0);
    }
    assert_int_equal(r, 1);
    assert_int_equal(frame.header.type, FRAME_REPLY);
    *ret_id = frame.header.id;
    head = message_decode(&frame, "result", NULL);
    result = json_incref(json_object_get(head, "result"));
    assert_true(json_is_object(result));
    json_decref(head);
    return result;
}

static void calls_run_at_the_same_time_and_get_their_own_answers(void **state)
{
    struct service s;
    bool seen[11] = {false};
    uint64_t start = clock_now_ns();

    service_start(&s, *state);
    /* each waits for a file that the last one makes: only in parallel do they come to an end */
    for (uint64_t id = 1; id <= 10; id++) {
        char command[200];
        snprintf(command, sizeof(command),
                 id < 10 ? "until [ -e go ]; do sleep 0.02; done; export V%llu=%llu; echo %llu"
                         : "touch go; export V%llu=%llu; echo %llu",
                 (unsigned long long)id, (unsigned long long)id, (unsigned long long)id);
        send_command(&s, id, command);
    }
    for (int i = 0; i < 10; i++) {
        char expect[8];
        uint64_t id = 0;
        json_t *r = receive(&s, &id);
        assert_in_range(id, 1, 10);
        assert_false(seen[id]);
        seen[id] = true;
        snprintf(expect, sizeof(expect), "%d", (int)id);
        assert_string_equal(get_text(r, "output"), expect);
        json_decref(r);
    }
    assert_true(clock_now_ns() - start < 60 * NS_PER_S);
    /* and none of them has undone what another one exported */
    send_command(&s, 11, "echo $V1$V2$V3$V4$V5$V6$V7$V8$V9$V10");
    json_t *r = receive(&s, &(uint64_t){0});
    assert_string_equal(get_text(r, "output"), "12345678910");
    json_decref(r);
    assert_int_equal(service_end(&s), 0);
}

static void files_and_large_texts_travel(void **state)
{
    struct service s;
    uint64_t id = 0;
    size_t length = 3u << 20;
    char *text = malloc(length + 1);
    json_t *r = NULL;

    memset(text, 'z', length);
    text[length] = '\0';
    service_start(&s, *state);
    send_call(&s, 1, "write_file", json_pack("{s:s, s:s}", "path", "big", "content", text), 5000);
    r = receive(&s, &id);
    assert_no_error(r);
    json_decref(r);
    send_call(&s, 2, "read_file", json_pack("{s:s, s:b}", "path", "big", "raw", 1), 5000);
    r = receive(&s, &id);
    assert_int_equal(id, 2);
    assert_string_equal(get_text(r, "content"), text);
    json_decref(r);
    free(text);
    assert_int_equal(service_end(&s), 0);
}

static void cancel_stops_the_call_and_is_answered(void **state)
{
    struct service s;
    uint64_t id = 0;
    json_t *r = NULL;

    service_start(&s, *state);
    send_command(&s, 1, "echo $$ >pid; exec sleep 60");
    send_command(&s, 2, "until [ -s pid ]; do sleep 0.02; done; echo seen");
    r = receive(&s, &id);
    assert_int_equal(id, 2);
    json_decref(r);
    send_cancel(&s, 1);
    send_cancel(&s, 77); /* never heard of: no matter */
    r = receive(&s, &id);
    assert_int_equal(id, 1);
    assert_int_equal(get_int(r, "exit_code"), 130);
    json_decref(r);
    send_command(&s, 3, "kill -0 $(cat pid) 2>/dev/null && echo alive");
    r = receive(&s, &id);
    assert_string_equal(get_text(r, "output"), "");
    json_decref(r);
    assert_int_equal(service_end(&s), 0);
}

static void end_of_file_stops_what_runs(void **state)
{
    struct service s;
    uint64_t start = clock_now_ns(), id = 0;
    json_t *r = NULL;

    service_start(&s, *state);
    send_command(&s, 1, "touch running; sleep 60");
    send_command(&s, 2, "until [ -e running ]; do sleep 0.02; done");
    r = receive(&s, &id);
    json_decref(r);
    assert_int_equal(service_end(&s), 0);
    assert_true(clock_now_ns() - start < 30 * NS_PER_S);
}

static void unknown_and_unbuilt_tools_are_answered(void **state)
{
    struct service s;
    uint64_t id = 0;
    const char *names[] = {"search_files", "patch", "web_search", ""};
    const char *parts[] = {"Missing argument 'pattern'", "patch is not built yet",
                           "web_search is not a tool", "is not a tool"};

    service_start(&s, *state);
    for (int i = 0; i < 4; i++) {
        json_t *r = NULL;
        send_call(&s, (uint64_t)i + 1, names[i], json_object(), 0);
        r = receive(&s, &id);
        assert_has(get_text(r, "error"), parts[i]);
        json_decref(r);
    }
    assert_int_equal(service_end(&s), 0);
}

/* Sends one frame and expects the service to give up. */
static void expect_violation(struct fixture *f, struct frame_header header, const char *head)
{
    struct service s;
    struct frame_part part = {head, strlen(head)};

    service_start(&s, f);
    frame_send(s.host, &header, &part, NULL, 0);
    pthread_join(s.thread, NULL);
    assert_true(s.result < 0);
    close(s.host);
    close(s.tools);
    frame_reader_deinit(&s.reader);
}

static void violations_end_the_service(void **state)
{
    struct fixture *f = *state;
    struct frame_header call = {.id = 1, .type = FRAME_CALL};

    expect_violation(f, call, "[]");
    expect_violation(f, call, "{");
    expect_violation(f, call, "{\"tool\":3,\"args\":{}}");
    expect_violation(f, call, "{\"tool\":\"terminal\",\"args\":[]}");
    expect_violation(f, call, "{\"tool\":\"terminal\"}");
    expect_violation(f, (struct frame_header){.id = 0, .type = FRAME_CALL},
                     "{\"tool\":\"x\",\"args\":{}}");
    expect_violation(f, (struct frame_header){.id = 1, .type = FRAME_REPLY}, "{}");
    expect_violation(f, (struct frame_header){.id = 1, .type = FRAME_DONE}, "{}");
    expect_violation(f, (struct frame_header){.id = 1, .type = 99}, "{}");
}

static void the_same_id_twice_is_a_violation(void **state)
{
    struct service s;

    service_start(&s, *state);
    send_command(&s, 5, "sleep 60");
    send_command(&s, 5, "sleep 60");
    pthread_join(s.thread, NULL);
    assert_true(s.result < 0);
    close(s.host);
    close(s.tools);
    frame_reader_deinit(&s.reader);
}

static void a_half_frame_is_a_violation(void **state)
{
    struct service s;

    service_start(&s, *state);
    assert_int_equal(send(s.host, "abc", 3, MSG_NOSIGNAL), 3);
    assert_true(service_end(&s) < 0);
}

static void more_calls_than_slots_are_told(void **state)
{
    struct service s;
    uint64_t id = 0;
    json_t *r = NULL;

    service_start(&s, *state);
    for (uint64_t i = 1; i <= 64; i++) {
        send_command(&s, i, "until [ -e go ]; do sleep 0.2; done");
    }
    send_command(&s, 65, "true");
    r = receive(&s, &id);
    assert_int_equal(id, 65);
    assert_has(get_text(r, "error"), "64 calls");
    json_decref(r);
    put_text(s.f, "go", "");
    for (int i = 0; i < 64; i++) {
        r = receive(&s, &id);
        assert_int_equal(get_int(r, "exit_code"), 0);
        json_decref(r);
    }
    assert_int_equal(service_end(&s), 0);
}

/* jansson recurses; the call threads have small stacks. */
static void deep_json_fits_the_stack_of_a_call(void **state)
{
    struct service s;
    uint64_t id = 0;
    char text[4081];
    json_t *r = NULL;

    memset(text, '[', 2040);
    memset(text + 2040, ']', 2040);
    text[4080] = '\0';
    service_start(&s, *state);
    send_call(&s, 1, "write_file", json_pack("{s:s, s:s}", "path", "d.json", "content", text), 0);
    r = receive(&s, &id);
    assert_no_error(r);
    json_decref(r);
    assert_int_equal(service_end(&s), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(calls_run_at_the_same_time_and_get_their_own_answers),
        FIXTURE_TEST(files_and_large_texts_travel),
        FIXTURE_TEST(cancel_stops_the_call_and_is_answered),
        FIXTURE_TEST(end_of_file_stops_what_runs),
        FIXTURE_TEST(unknown_and_unbuilt_tools_are_answered),
        FIXTURE_TEST(violations_end_the_service),
        FIXTURE_TEST(the_same_id_twice_is_a_violation),
        FIXTURE_TEST(a_half_frame_is_a_violation),
        FIXTURE_TEST(more_calls_than_slots_are_told),
        FIXTURE_TEST(deep_json_fits_the_stack_of_a_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
