/* SPDX-License-Identifier: MIT
 *
 * The fake host's loop and its modes. Replies may be delayed, reordered, wrong or missing.
 */
#include "fake_host.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "wire/message.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define HELD_MAX  4096
#define QUEUE_MAX (256u * 1024u * 1024u)

struct held {
    uint64_t id, due_ns; /* due_ns 0: not by the clock */
    json_t *result;
    bool is_silent; /* answered only after its CANCEL: a late answer */
};

struct host {
    int fd;
    struct frame_reader reader;
    struct frame_queue queue;
    struct held held[HELD_MAX];
    size_t held_count, reverse_count;
    uint64_t last_id, calls, resume_ns;
    unsigned in_flight, in_flight_max;
    json_t *cancels;
    bool is_canned; /* every call gets the same answer, unread: for the benchmark */
    int status;     /* -1: goes on */
};

static void host_reply(struct host *host, uint64_t id, json_t *result)
{
    host->in_flight--;
    if (message_reply_queue(&host->queue, id, result) < 0)
        host->status = 2;
    json_decref(result);
}

static void host_hold(struct host *host, uint64_t id, uint64_t due_ns, json_t *result, bool silent)
{
    host->held[host->held_count++] = (struct held){id, due_ns, result, silent};
}

static void held_release(struct host *host, size_t index)
{
    struct held held = host->held[index];
    host->held[index] = host->held[--host->held_count];
    host_reply(host, held.id, held.result);
}

static json_t *echo_result(const char *tool, json_t *args, uint64_t id)
{
    return json_pack("{s:s,s:O,s:I}", "tool", tool, "args", args, "id", (json_int_t)id);
}

/* A REPLY whose bytes the script chose. */
static void mode_raw(struct host *host, uint64_t id, json_t *args)
{
    bool is_body = json_is_true(json_object_get(args, "body"));
    json_t *value = json_object_get(args, "value");
    struct frame_part text = {json_string_value(value), json_string_length(value)};
    struct frame_part empty = {"{}", 2};
    struct frame_header header = {
        .type = FRAME_REPLY, .id = id, .flags = is_body ? FRAME_JSON_BODY : 0};

    host->in_flight--;
    frame_queue_push(&host->queue, &header, is_body ? &empty : &text, &text, is_body);
}

static void mode_garbage(struct host *host, json_t *args)
{
    const char *value = json_string_value(json_object_get(args, "value"));

    while (frame_queue_flush(&host->queue, host->fd, 0) == 0)
        ;
    send(host->fd, value, strlen(value), MSG_NOSIGNAL);
}

static json_t *big_result(json_int_t bytes)
{
    char *text = malloc((size_t)bytes + 1);
    memset(text, 'x', (size_t)bytes);
    json_t *result = json_pack("{s:o}", "content", json_stringn_nocheck(text, (size_t)bytes));
    free(text);
    return result;
}

static json_t *many_result(json_int_t count)
{
    json_t *list = json_array();
    for (json_int_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(i));
    return json_pack("{s:o}", "list", list);
}

static json_t *log_result(struct host *host)
{
    return json_pack("{s:I,s:i,s:O}", "calls", (json_int_t)host->calls, "in_flight_max",
                     host->in_flight_max, "cancels", host->cancels);
}

/* Bytes of the CALL as they came. */
static json_t *bytes_result(const struct frame *frame)
{
    return json_pack("{s:s#,s:i,s:i}", "head", frame->head, (int)frame->header.head_bytes, "flags",
                     frame->header.flags, "body_bytes", (int)frame->header.body_bytes);
}

static void mode_reverse(struct host *host, uint64_t id, json_t *args)
{
    host_hold(host, id, 0, echo_result("host", args, id), false);
    if (++host->reverse_count < (size_t)json_integer_value(json_object_get(args, "n")))
        return;
    host->reverse_count = 0;
    for (size_t i = host->held_count; i-- > 0;)
        if (host->held[i].due_ns == 0 && !host->held[i].is_silent)
            held_release(host, i);
}

static void host_tool(struct host *host, const struct frame *frame, json_t *args)
{
    uint64_t id = frame->header.id, now = clock_now_ns();
    const char *mode = json_string_value(json_object_get(args, "mode"));
    json_int_t n = json_integer_value(json_object_get(args, "n"));

    if (str_equal(mode, "value"))
        host_reply(host, id, json_incref(json_object_get(args, "value")));
    else if (str_equal(mode, "raw"))
        mode_raw(host, id, args);
    else if (str_equal(mode, "sleep"))
        host_hold(host, id, now + (uint64_t)n * NS_PER_MS, echo_result("host", args, id), false);
    else if (str_equal(mode, "silent"))
        host_hold(host, id, 0, echo_result("host", args, id), true);
    else if (str_equal(mode, "reverse"))
        mode_reverse(host, id, args);
    else if (str_equal(mode, "big"))
        host_reply(host, id, big_result(n));
    else if (str_equal(mode, "many"))
        host_reply(host, id, many_result(n));
    else if (str_equal(mode, "log"))
        host_reply(host, id, log_result(host));
    else if (str_equal(mode, "bytes"))
        host_reply(host, id, bytes_result(frame));
    else if (str_equal(mode, "garbage"))
        mode_garbage(host, args);
    else if (str_equal(mode, "wrong_id"))
        host_reply(host, id + 1000, echo_result("host", args, id));
    else if (str_equal(mode, "close"))
        host->status = 0;
    else
        host_reply(host, id, echo_result("host", args, id));
    host->is_canned = str_equal(mode, "canned");
    if (str_equal(mode, "pause"))
        host->resume_ns = now + (uint64_t)n * NS_PER_MS;
}

static void host_call(struct host *host, const struct frame *frame)
{
    struct err err = ERR_INIT;
    _cleanup_json_ json_t *head = message_decode(frame, "args", &err);
    const char *tool = json_string_value(json_object_get(head, "tool"));
    json_t *args = json_object_get(head, "args");

    if (!tool || !json_is_object(args) || frame->header.id <= host->last_id) {
        fprintf(stderr, "fake host: bad CALL %llu: %s\n", (unsigned long long)frame->header.id,
                err.text);
        host->status = 1;
        return;
    }
    host->last_id = frame->header.id;
    host->calls++;
    if (++host->in_flight > host->in_flight_max)
        host->in_flight_max = host->in_flight;
    if (str_equal(tool, "host"))
        host_tool(host, frame, args);
    else if (str_equal(tool, "raiser"))
        host_reply(host, frame->header.id, json_incref(json_object_get(args, "value")));
    else
        host_reply(host, frame->header.id, echo_result(tool, args, frame->header.id));
}

/* The late answer to a cancelled call is sent on purpose: nobody may see it. */
static void host_cancel(struct host *host, uint64_t id)
{
    json_array_append_new(host->cancels, json_integer((json_int_t)id));
    for (size_t i = 0; i < host->held_count; i++) {
        if (host->held[i].id == id) {
            held_release(host, i);
            return;
        }
    }
}

static void canned_reply(struct host *host, uint64_t id)
{
    static const char text[] = "{\"result\":{\"output\":\"x\",\"exit_code\":0,\"error\":null}}";
    struct frame_header header = {.type = FRAME_REPLY, .id = id};
    struct frame_part head = {text, sizeof(text) - 1};

    frame_queue_push(&host->queue, &header, &head, NULL, 0);
}

static void host_frame(struct host *host, const struct frame *frame)
{
    if (host->is_canned && frame->header.type == FRAME_CALL)
        canned_reply(host, frame->header.id);
    else if (frame->header.type == FRAME_CALL)
        host_call(host, frame);
    else if (frame->header.type == FRAME_CANCEL)
        host_cancel(host, frame->header.id);
    else
        host->status = frame->header.type == FRAME_DONE ? 0 : 1;
}

static void host_read(struct host *host)
{
    struct frame frame;
    int r = 0;
    ssize_t n = frame_reader_fill(&host->reader, host->fd, MSG_DONTWAIT);

    if (n == -EAGAIN || n == -EINTR)
        return;
    while (n > 0 && host->status < 0 && (r = frame_reader_next(&host->reader, &frame)) > 0)
        host_frame(host, &frame);
    if (n <= 0)
        host->status = 3;
    else if (r < 0)
        host->status = 1;
}

static int host_timeout_ms(const struct host *host)
{
    uint64_t now = clock_now_ns(), due = UINT64_MAX;

    for (size_t i = 0; i < host->held_count; i++)
        if (host->held[i].due_ns && host->held[i].due_ns < due)
            due = host->held[i].due_ns;
    if (host->resume_ns && host->resume_ns < due)
        due = host->resume_ns;
    if (due == UINT64_MAX)
        return -1;
    return due <= now ? 0 : (int)((due - now) / NS_PER_MS) + 1;
}

static void host_timers(struct host *host)
{
    uint64_t now = clock_now_ns();

    for (size_t i = host->held_count; i-- > 0;)
        if (host->held[i].due_ns && host->held[i].due_ns <= now)
            held_release(host, i);
    if (host->resume_ns <= now)
        host->resume_ns = 0;
}

static void run_send(struct host *host)
{
    struct frame_header header = {.type = FRAME_RUN};
    struct frame_part head = {"{\"bodies\":[[4,\"code\"]]}", 22}, body = {"code", 4};

    head.length = strlen(head.data);
    frame_queue_push(&host->queue, &header, &head, &body, 1);
}

static void host_step(struct host *host)
{
    /* The quick way, so that the benchmark measures the module: a reply leaves at once. */
    int waiting = frame_queue_flush(&host->queue, host->fd, 0);
    short events = (short)((host->resume_ns ? 0 : POLLIN) | (waiting == 0 ? POLLOUT : 0));
    struct pollfd pollfd = {.fd = host->fd, .events = events};

    poll(&pollfd, 1, host_timeout_ms(host));
    host_timers(host);
    if (pollfd.revents & (POLLIN | POLLHUP | POLLERR))
        host_read(host);
}

int fake_host_serve(int fd)
{
    struct host *host = calloc(1, sizeof(*host));

    host->fd = fd;
    host->status = -1;
    host->cancels = json_array();
    frame_reader_init(&host->reader, FRAME_BYTES_MAX);
    frame_queue_init(&host->queue, QUEUE_MAX);
    fd_set_nonblocking(fd);
    run_send(host);
    while (host->status < 0)
        host_step(host);
    int status = host->status;
    for (size_t i = 0; i < host->held_count; i++)
        json_decref(host->held[i].result);
    frame_reader_deinit(&host->reader);
    frame_queue_deinit(&host->queue);
    json_decref(host->cancels);
    free(host);
    return status;
}
