/* SPDX-License-Identifier: MIT
 *
 * Assembles the result. Every key but the texts comes from what the host itself has seen.
 */
#include "run/result.h"

#include "base/buf.h"
#include "base/str.h"
#include "run/hints.h"
#include "run/run.h"
#include "text/ansi.h"
#include "wire/layers.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *result_status(const struct run *run)
{
    switch (run->end) {
    case RUN_END_DONE:
    case RUN_END_EXITED:
        if (run->signal == SIGXCPU)
            return "timeout";
        return run->exit_code == 0 ? "success" : "error";
    case RUN_END_WALL:
        return "timeout";
    case RUN_END_CANCELLED:
        return "interrupted";
    case RUN_END_PROTOCOL:
        return "protocol_error";
    case RUN_END_UNAVAILABLE:
        return "sandbox_unavailable";
    default:
        return "error";
    }
}

/* ---- words ---- */

static void signal_name(int number, char *text, size_t size)
{
    const char *name = sigabbrev_np(number);

    if (name)
        snprintf(text, size, "SIG%s", name);
    else
        snprintf(text, size, "signal %d", number);
}

static void seconds_text(uint64_t ms, char *text, size_t size)
{
    if (ms % 1000)
        snprintf(text, size, "%.3g", (double)ms / 1000);
    else
        snprintf(text, size, "%llu", (unsigned long long)(ms / 1000));
}

/* The last line that is not blank. */
static void last_line(const char *text, struct buf *out)
{
    size_t end = strlen(text), start;

    while (end && strchr(" \n\r\t", text[end - 1]))
        end--;
    for (start = end; start && text[start - 1] != '\n'; start--)
        ;
    buf_append(out, text + start, end - start);
}

static void timeout_text(const struct run *run, struct buf *out)
{
    char seconds[32];

    seconds_text(run->policy.timeout_ms, seconds, sizeof seconds);
    buf_append_format(out, "Script timed out after %s s and was killed.", seconds);
}

static void interrupted_text(const struct run *run, struct buf *out)
{
    _cleanup_buf_ struct buf reason = BUF_INIT(0);

    json_append_string(&reason, run->cancel_reason, strlen(run->cancel_reason));
    if (run->cancel_reason[0] && reason.length > 2)
        buf_append_format(out, "execution interrupted: %.*s", (int)reason.length - 2,
                          (const char *)reason.data + 1);
    else
        buf_append_text(out, "execution interrupted");
}

/* A run without a script: the tool's own words. */
static void answer_text(const struct run *run, struct buf *out)
{
    const json_t *error = json_object_get(run->value, "error");

    if (json_is_string(error))
        buf_append(out, json_string_value(error), json_string_length(error));
    else
        buf_append_text(out, "the tool has failed");
}

static void exit_text(const struct run *run, const char *stderr_text, struct buf *out)
{
    char name[32], seconds[32];

    if (run->signal == SIGXCPU) {
        seconds_text(run->policy.cpu_ms, seconds, sizeof seconds);
        buf_append_format(out, "Script timed out: it has used its %s s of CPU time and was killed.",
                          seconds);
        return;
    }
    if (run->signal && run->end == RUN_END_EXITED) {
        signal_name(run->signal, name, sizeof name);
        buf_append_format(out, "The script was killed by %s (%s).", name, strsignal(run->signal));
        return;
    }
    last_line(stderr_text, out);
    if (!out->length)
        buf_append_format(out, "The script ended with exit code %d.", run->exit_code);
    else if (run->exit_code != 1)
        buf_append_format(out, " (exit code %d)", run->exit_code);
}

static void unavailable_text(const struct run *run, struct buf *out)
{
    buf_append_format(out,
                      "The sandbox is not available: %s. Nothing was run; use the ordinary tools "
                      "one by one instead.",
                      run->detail);
}

static void error_text(const struct run *run, const char *stderr_text, struct buf *out)
{
    switch (run->end) {
    case RUN_END_WALL:
        timeout_text(run, out);
        break;
    case RUN_END_CANCELLED:
        interrupted_text(run, out);
        break;
    case RUN_END_UNAVAILABLE:
        unavailable_text(run, out);
        break;
    case RUN_END_PROTOCOL:
        buf_append_format(out, "The run broke the protocol and was ended: %s", run->detail);
        break;
    case RUN_END_REFUSALS:
    case RUN_END_LOST:
        buf_append_format(out, "The run was ended: %s", run->detail);
        break;
    default:
        if (run->value)
            answer_text(run, out);
        else
            exit_text(run, stderr_text, out);
    }
}

/* ---- parts ---- */

/* A stream as text: strip escapes, then (later) redact, then cut; the cut was made on the way in,
 * at the same borders. */
static int stream_text(const struct run_stream *stream, struct buf *text,
                       struct headtail_counts *ret_counts)
{
    int r = headtail_render(&stream->kept, text, ret_counts);

    if (r == 0)
        r = buf_append(text, "", 1); /* also a C string for those who look for words */
    if (r < 0)
        return r;
    text->length = ansi_strip((char *)text->data, text->length - 1);
    text->data[text->length] = '\0';
    return 0;
}

/* On failure a model that reads only `output` must see everything. */
static int output_complete(const char *status, const struct buf *stderr_text, const char *error,
                           struct buf *output)
{
    bool newline = output->length && output->data[output->length - 1] != '\n';
    int r = 0;

    if (str_equal(status, "success"))
        return 0;
    if (stderr_text->length) {
        r = buf_append_format(output, "%s--- stderr ---\n", newline ? "\n" : "");
        if (r == 0)
            r = buf_append(output, stderr_text->data, stderr_text->length);
    }
    newline = output->length && output->data[output->length - 1] != '\n';
    if (r == 0 && str_equal(status, "timeout"))
        r = buf_append_format(output, "%s\u23f0 %s", newline ? "\n" : "", error);
    else if (r == 0 && str_equal(status, "interrupted"))
        r = buf_append_format(output, "%s[%s]", newline ? "\n" : "", error);
    return r;
}

/* Rounded; unit_ns is 10 ms for two decimals, 1 us for six. */
static double seconds(uint64_t ns, uint64_t unit_ns)
{
    return (double)((ns + unit_ns / 2) / unit_ns) / (1e9 / (double)unit_ns);
}

static json_t *usage_json(const struct run *run)
{
    const struct run_usage *usage = &run->usage;

    return json_pack("{s:f, s:f, s:I, s:f, s:f}", "wall_seconds", seconds(usage->wall_ns, 1000),
                     "cpu_seconds", seconds((usage->user_us + usage->system_us) * 1000, 1000),
                     "max_rss_bytes", (json_int_t)(usage->max_rss_kib * 1024), "tool_seconds",
                     seconds(usage->tools_ns, 1000), "waiting_seconds",
                     seconds(usage->waiting_ns, 1000));
}

static json_t *tool_calls_json(const struct run *run)
{
    json_t *list = json_array();

    for (size_t i = 0; i < run->dispatch.record_count; i++) {
        const struct call_record *record = &run->dispatch.records[i];
        json_t *entry = json_pack(
            "{s:I, s:s, s:o, s:f, s:b}", "call", (json_int_t)record->id, "tool", record->spec->name,
            "args", json_text(record->preview, strlen(record->preview)), "ms",
            seconds(record->duration_ns * 1000, 1000000), "ok", record->ended && record->ok);

        json_add(&list, entry);
    }
    return list;
}

/* What this step of the project does not hold yet stands here in words, not between the lines. */
static json_t *sandbox_json(const struct run *run)
{
    static const char *const names[LAYER_COUNT] = LAYER_NAMES;
    bool has_namespaces = run->layers & LAYER_PID_NS;
    json_t *layers = json_array(), *degraded = json_array();
    json_t *sandbox;

    for (int i = 0; i < LAYER_COUNT; i++)
        if (run->layers & (1u << i))
            json_add(&layers, json_string(names[i]));
    if (!has_namespaces)
        json_add(&degraded, json_string("namespaces"));
    if (geteuid() == 0 ||
        !has_namespaces) /* RLIMIT_NPROC does not count root's, and counts others' */
        json_add(&degraded, json_string("processes"));
    if (!(run->layers & LAYER_NET_NS))
        json_add(&degraded, json_string("network"));
    json_add(&degraded, json_string("files"));
    json_add(&degraded, json_string("system_calls"));
    sandbox = json_pack("{s:i, s:o, s:o}", "tier", has_namespaces ? 3 : 2, "layers", layers,
                        "not_held", degraded);
    if (!has_namespaces)
        json_put(&sandbox, "namespaces_error",
                 json_string(run->policy.no_namespaces ? "switched off by an option"
                             : run->namespaces_error   ? strerror(-run->namespaces_error)
                                                       : "unknown"));
    return sandbox;
}

static void exit_set(json_t **result, const struct run *run)
{
    char name[32];

    if (run->exit_code >= 0)
        json_put(result, "exit_code", json_integer(run->exit_code));
    if (!run->signal)
        return;
    signal_name(run->signal, name, sizeof name);
    json_put(result, "signal", json_string(name));
}

static void counts_set(json_t **result, const char *stream, const struct headtail_counts *counts)
{
    static const char *const parts[] = {"total", "captured", "omitted"};
    const uint64_t values[] = {counts->total, counts->captured, counts->omitted};
    char key[64];

    snprintf(key, sizeof key, "%s_truncated", stream);
    json_put(result, key, json_boolean(counts->truncated));
    for (int i = 0; i < 3; i++) {
        snprintf(key, sizeof key, "%s_bytes_%s", stream, parts[i]);
        json_put(result, key, json_integer((json_int_t)values[i]));
    }
}

/* ---- the whole ---- */

static json_t *result_begin(const struct run *run, const char *status, const struct buf *output,
                            const struct buf *error)
{
    json_t *result = json_pack("{s:s, s:o, s:I, s:f}", "status", status, "output",
                               json_text((const char *)output->data, output->length),
                               "tool_calls_made", (json_int_t)run->dispatch.made,
                               "duration_seconds", seconds(run->usage.wall_ns, 10000000));

    if (result && error->length)
        json_put(&result, "error", json_text((const char *)error->data, error->length));
    return result;
}

json_t *result_make(const struct run *run)
{
    const char *status = result_status(run);
    _cleanup_buf_ struct buf out_text = BUF_INIT(0), err_text = BUF_INIT(0);
    _cleanup_buf_ struct buf output = BUF_INIT(0), error = BUF_INIT(0);
    struct headtail_counts out_counts = {0}, err_counts = {0};
    json_t *result, *hint;

    if (stream_text(&run->streams[0], &out_text, &out_counts) < 0 ||
        stream_text(&run->streams[1], &err_text, &err_counts) < 0 ||
        buf_append(&output, out_text.data, out_text.length) < 0)
        return NULL;
    if (!str_equal(status, "success")) {
        error_text(run, (const char *)err_text.data, &error);
        if (!error.length)
            return NULL; /* there are always words */
    }
    if (buf_append(&error, "", 1) < 0)
        return NULL;
    error.length--;
    if (output_complete(status, &err_text, (const char *)error.data, &output) < 0)
        return NULL;
    result = result_begin(run, status, &output, &error);
    exit_set(&result, run);
    json_put(&result, "stderr", json_text((const char *)err_text.data, err_text.length));
    counts_set(&result, "stdout", &out_counts);
    if (err_counts.truncated)
        counts_set(&result, "stderr", &err_counts);
    json_put(&result, "usage", usage_json(run));
    json_put(&result, "tool_calls", tool_calls_json(run));
    if (run->dispatch.made > run->dispatch.record_count)
        json_put(&result, "tool_calls_omitted",
                 json_integer((json_int_t)(run->dispatch.made - run->dispatch.record_count)));
    json_put(&result, "sandbox", sandbox_json(run));
    if (run->value)
        json_put(&result, "value", json_incref(run->value));
    hint = hints_make(run, status, (const char *)out_text.data, (const char *)err_text.data);
    if (hint)
        json_put(&result, "hint", hint);
    return result;
}

json_t *result_refusal(const char *status, const char *text)
{
    return json_pack("{s:s, s:s, s:i, s:f, s:o}", "status", status, "output", "", "tool_calls_made",
                     0, "duration_seconds", 0.0, "error", json_text(text, strlen(text)));
}
