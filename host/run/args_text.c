/* SPDX-License-Identifier: MIT
 *
 * First the JSON without its long texts, with a note where each belongs; then both are put together,
 * as slowly as the caller likes.
 */
#include "run/args_text.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STRING_BYTES_MAX (16u * 1024u) /* a longer one in the tree is a gap too */

struct dump {
    struct args_text *text;
    const struct message_body **parts; /* by the address of the stand-in */
    size_t part_count;
};

static int by_stand_in(const void *a, const void *b)
{
    const struct message_body *left = *(const struct message_body *const *)a;
    const struct message_body *right = *(const struct message_body *const *)b;

    return (left->stand_in > right->stand_in) - (left->stand_in < right->stand_in);
}

static const struct message_body *part_find(const struct dump *dump, const json_t *value)
{
    struct message_body key = {.stand_in = (json_t *)value}, *address = &key;
    const struct message_body **found =
        dump->part_count
            ? bsearch(&address, dump->parts, dump->part_count, sizeof address, by_stand_in)
            : NULL;

    return found ? *found : NULL;
}

static int gap_add(struct args_text *text, const void *data, size_t length, bool is_json)
{
    size_t count = text->gap_count;

    if ((count & (count - 1)) == 0) { /* full at each power of two */
        struct args_gap *gaps = realloc(text->gaps, (count ? count * 2 : 1) * sizeof *gaps);

        if (!gaps)
            return -ENOMEM;
        text->gaps = gaps;
    }
    text->gaps[text->gap_count++] = (struct args_gap){text->lean.length, data, length, is_json};
    return 0;
}

static int value_dump(struct dump *dump, const json_t *value);

static int object_dump(struct dump *dump, const json_t *object)
{
    struct buf *lean = &dump->text->lean;
    const char *key;
    size_t length, count = 0;
    json_t *value;
    int r = buf_append(lean, "{", 1);

    json_object_keylen_foreach((json_t *)object, key, length, value)
    {
        if (r == 0 && count++)
            r = buf_append(lean, ",", 1);
        if (r == 0)
            r = json_append_string(lean, key, length);
        if (r == 0)
            r = buf_append(lean, ":", 1);
        if (r == 0)
            r = value_dump(dump, value);
    }
    return r < 0 ? r : buf_append(lean, "}", 1);
}

static int array_dump(struct dump *dump, const json_t *array)
{
    struct buf *lean = &dump->text->lean;
    int r = buf_append(lean, "[", 1);

    for (size_t i = 0; r == 0 && i < json_array_size(array); i++) {
        if (i)
            r = buf_append(lean, ",", 1);
        if (r == 0)
            r = value_dump(dump, json_array_get(array, i));
    }
    return r < 0 ? r : buf_append(lean, "]", 1);
}

/* As deep as JSON may be nested, which is 64 levels. */
static int value_dump(struct dump *dump, const json_t *value)
{
    const struct message_body *part = part_find(dump, value);

    if (part && (part->is_json || part->length > FRAME_INLINE_TEXT_MAX))
        return gap_add(dump->text, part->text, part->length, part->is_json);
    if (json_is_object(value))
        return object_dump(dump, value);
    if (json_is_array(value))
        return array_dump(dump, value);
    if (json_is_string(value) && json_string_length(value) > STRING_BYTES_MAX)
        return gap_add(dump->text, json_string_value(value), json_string_length(value), false);
    if (json_is_string(value))
        return json_append_string(&dump->text->lean, json_string_value(value),
                                  json_string_length(value));
    return json_append(&dump->text->lean, value);
}

/* So that the text nearly never has to move while it grows. */
static int out_reserve(struct args_text *text)
{
    size_t bytes = text->lean.length + STRING_BYTES_MAX;

    for (size_t i = 0; i < text->gap_count; i++)
        bytes += text->gaps[i].length + 2;
    return buf_reserve(&text->out, bytes);
}

int args_text_init(struct args_text *text, const json_t *args, const struct message_body *parts,
                   size_t part_count)
{
    struct dump dump = {.text = text, .part_count = part_count};
    int r;

    memset(text, 0, sizeof *text);
    dump.parts = malloc((part_count + 1) * sizeof *dump.parts);
    if (!dump.parts)
        return -ENOMEM;
    for (size_t i = 0; i < part_count; i++)
        dump.parts[i] = &parts[i];
    if (part_count)
        qsort(dump.parts, part_count, sizeof *dump.parts, by_stand_in);
    r = value_dump(&dump, args);
    free(dump.parts);
    if (r == 0)
        r = out_reserve(text);
    if (r < 0)
        args_text_deinit(text);
    return r < 0 ? -ENOMEM : 0;
}

void args_text_deinit(struct args_text *text)
{
    buf_deinit(&text->lean);
    buf_deinit(&text->out);
    free(text->gaps);
    text->gaps = NULL;
}

static int lean_append(struct args_text *text, size_t until)
{
    int r = buf_append(&text->out, text->lean.data + text->lean_done, until - text->lean_done);

    text->lean_done = until;
    return r;
}

/* Where a piece of at most `bytes` bytes ends, between characters. */
static size_t piece_end(const struct args_text *text, const struct args_gap *gap, size_t bytes)
{
    size_t left = gap->length - text->text_done;

    if (left <= bytes)
        return gap->length;
    return text->text_done + utf8_floor(gap->text + text->text_done, bytes);
}

/* JSON goes in as it is, but for what is no text. */
static int json_piece(struct args_text *text, const struct args_gap *gap, size_t end)
{
    size_t start = text->text_done;
    size_t at = message_lone_surrogate_find(gap->text, gap->length, start, end, &text->text_done);
    int r = utf8_append_replaced(&text->out, gap->text + start, at - start);

    return r < 0 || at >= end ? r : buf_append(&text->out, "\\ufffd", 6);
}

static int string_piece(struct args_text *text, const struct args_gap *gap, size_t end)
{
    size_t start = text->text_done;

    text->text_done = end;
    return json_append_escaped(&text->out, gap->text + start, end - start);
}

static int gap_begin(struct args_text *text, const struct args_gap *gap)
{
    int r = lean_append(text, gap->at);

    text->in_gap = true;
    text->text_done = 0;
    return r < 0 || gap->is_json ? r : buf_append(&text->out, "\"", 1);
}

static int gap_go_on(struct args_text *text, const struct args_gap *gap, size_t bytes)
{
    size_t end = piece_end(text, gap, bytes);
    int r = gap->is_json ? json_piece(text, gap, end) : string_piece(text, gap, end);

    if (r < 0 || text->text_done < gap->length)
        return r;
    text->in_gap = false;
    text->gaps_done++;
    return gap->is_json ? 0 : buf_append(&text->out, "\"", 1);
}

int args_text_step(struct args_text *text, size_t bytes)
{
    size_t stop = text->out.length + bytes;
    int r = 0;

    while (r == 0 && text->gaps_done < text->gap_count) {
        const struct args_gap *gap = &text->gaps[text->gaps_done];

        if (text->out.length >= stop)
            return 0;
        if (!text->in_gap)
            r = gap_begin(text, gap);
        if (r == 0)
            r = gap_go_on(text, gap, bytes);
    }
    if (r == 0)
        r = lean_append(text, text->lean.length);
    return r < 0 ? -ENOMEM : 1;
}
