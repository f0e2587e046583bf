/* SPDX-License-Identifier: MIT
 *
 * See parcel.h. Each step takes well under a millisecond.
 */
#include "run/parcel.h"

#include "base/clock.h"
#include "base/err.h"
#include "run/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES_MAX    8192u
#define PIECE_BYTES       (64u * 1024u)
#define SMALL_VALUE_BYTES 4096u /* a larger member of a JSON body is not parsed but checked */

bool parcel_is_all_head(const struct frame_header *header)
{
    return header->head_bytes > HEAD_BYTES_MAX && header->body_bytes == 0;
}

static bool is_named(const char *head, const struct json_member *member, const char *name)
{
    return member->name_length == strlen(name) + 2 &&
           memcmp(head + member->name_at + 1, name, strlen(name)) == 0;
}

/* A member of a large head. Its arguments go the way of a JSON body. */
static int head_member_take(struct parcel *parcel, const char *head,
                            const struct json_member *member, struct err *err)
{
    const char *text = head + member->value_at;
    json_t *value;

    if (is_named(head, member, "args")) {
        if (parcel->header.flags & FRAME_JSON_BODY)
            return err_set(err, -EPROTO, "the arguments are there twice");
        parcel->body = (const unsigned char *)text;
        json_scan_init(&parcel->scan, text, member->value_length);
        parcel->header.flags |= FRAME_JSON_BODY;
        return 0;
    }
    if (!is_named(head, member, "tool") || parcel->outline.head)
        return err_set(err, -EPROTO, "a large head holds more than a tool and its arguments");
    value = message_json_parse(text, member->value_length, err);
    parcel->outline.head = value ? json_pack("{s:o}", "tool", value) : NULL;
    return parcel->outline.head ? 0 : err->code ? err->code : -ENOMEM;
}

/* A head of 64 KiB takes jansson two milliseconds when it is full of brackets. */
static int head_read(struct parcel *parcel, const struct frame *frame, struct err *err)
{
    struct json_scan scan;
    int r;

    json_scan_init(&scan, frame->head, frame->header.head_bytes);
    parcel->header.flags &= (uint16_t)~FRAME_JSON_BODY;
    r = json_scan_step(&scan, scan.length, err);
    for (size_t i = 0; r >= 0 && i < scan.member_count; i++)
        r = head_member_take(parcel, frame->head, &scan.members[i], err);
    json_scan_deinit(&scan);
    if (r == -EINVAL)
        err->code = -EPROTO;
    return r < 0 ? r : 0;
}

struct parcel *parcel_new(struct frame_reader *reader, struct frame *frame, struct err *err)
{
    struct parcel *parcel = calloc(1, sizeof *parcel);

    if (!parcel || frame_reader_take(reader, frame, &parcel->memory) < 0) {
        free(parcel);
        err_set(err, -ENOMEM, "no memory for the call");
        return NULL;
    }
    parcel->header = frame->header;
    parcel->body = frame->body;
    parcel->started_ns = clock_now_ns();
    json_scan_init(&parcel->scan, (const char *)frame->body, frame->header.body_bytes);
    if (parcel_is_all_head(&frame->header)
            ? head_read(parcel, frame, err) == 0
            : message_outline_read(frame, &parcel->outline, err) == 0)
        return parcel;
    parcel_free(parcel, reader->loop);
    return NULL;
}

struct parcel *parcel_new_args(json_t *args)
{
    struct parcel *parcel = calloc(1, sizeof *parcel);

    if (!parcel)
        return NULL;
    parcel->started_ns = clock_now_ns();
    parcel->outline.head = json_pack("{s:O}", "args", args);
    if (parcel->outline.head)
        return parcel;
    free(parcel);
    return NULL;
}

void parcel_free(struct parcel *parcel, struct loop *loop)
{
    if (!parcel)
        return;
    if (parcel->call)
        call_unref(parcel->call);
    loop_free_later(loop, parcel->text.out.data, parcel->text.out.capacity);
    parcel->text.out = (struct buf)BUF_INIT(0);
    args_text_deinit(&parcel->text);
    json_scan_deinit(&parcel->scan);
    message_outline_deinit(&parcel->outline);
    loop_free_later(loop, parcel->memory.data, parcel->memory.bytes);
    free(parcel);
}

/* ---- JSON bodies ---- */

/* Of the type that the text has. */
static json_t *stand_in_for(const char *text)
{
    return *text == '{' ? json_object() : *text == '[' ? json_array() : json_string("...");
}

/* The value of a member; a large one is noted as a body, and what is returned stands for it. */
static json_t *member_value(struct parcel *parcel, const struct json_member *member,
                            struct err *err)
{
    const char *text = (const char *)parcel->body + member->value_at;
    struct message_body body = {
        .text = (const unsigned char *)text, .length = member->value_length, .is_json = true};
    json_t *value;

    if (member->value_length <= SMALL_VALUE_BYTES)
        return message_json_parse(text, member->value_length, err);
    value = body.stand_in = stand_in_for(text);
    if (value && message_outline_add(&parcel->outline, &body) == 0)
        return json_incref(value);
    err_set(err, -ENOMEM, "no memory for the call");
    return NULL;
}

static int member_set(struct parcel *parcel, const struct json_member *member, struct err *err)
{
    const char *text = (const char *)parcel->body;
    json_t *args = json_object_get(parcel->outline.head, "args");
    _cleanup_json_ json_t *name =
        message_json_parse(text + member->name_at, member->name_length, err);
    _cleanup_json_ json_t *value = name ? member_value(parcel, member, err) : NULL;

    if (!value)
        return err->code;
    if (json_object_getn(args, json_string_value(name), json_string_length(name)))
        return err_set(err, -EINVAL, "an argument is given twice");
    if (json_object_setn_nocheck(args, json_string_value(name), json_string_length(name), value) <
        0)
        return err_set(err, -ENOMEM, "no memory for the call");
    return 0;
}

/* As many members as make one piece. */
static int members_step(struct parcel *parcel, struct err *err)
{
    const struct json_scan *scan = &parcel->scan;
    size_t bytes = 0;

    while (parcel->members_done < scan->member_count && bytes < PIECE_BYTES / 4) {
        const struct json_member *member = &scan->members[parcel->members_done++];
        int r = member_set(parcel, member, err);

        if (r < 0)
            return r;
        bytes += member->name_length +
                 (member->value_length <= SMALL_VALUE_BYTES ? member->value_length : 0);
    }
    return parcel->members_done == scan->member_count;
}

static int json_body_step(struct parcel *parcel, struct err *err)
{
    int r;

    if (json_object_get(parcel->outline.head, "args"))
        return members_step(parcel, err);
    r = json_scan_step(&parcel->scan, PIECE_BYTES, err);
    if (r == 1 && json_object_set_new(parcel->outline.head, "args", json_object()) < 0)
        return err_set(err, -ENOMEM, "no memory for the call");
    return r < 0 ? r : 0;
}

int parcel_open_step(struct parcel *parcel, struct err *err)
{
    int r;

    if (!(parcel->header.flags & FRAME_JSON_BODY))
        return 1;
    r = json_body_step(parcel, err);
    if (r == -EINVAL) /* what is wrong with a text is a violation when a frame carried it */
        err->code = r = -EPROTO;
    return r;
}

int parcel_text_step(struct parcel *parcel, const json_t *args)
{
    if (parcel->has_text)
        return args_text_step(&parcel->text, PIECE_BYTES);
    parcel->has_text = true;
    return args_text_init(&parcel->text, args, parcel->outline.parts, parcel->outline.count);
}
