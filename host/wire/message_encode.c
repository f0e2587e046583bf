/* SPDX-License-Identifier: MIT
 *
 * JSON trees to frames. The caller's tree is never changed: containers above a long string are
 * copied (nothing else is), and the strings themselves are sent from where they are.
 */
#include "wire/message.h"

#include "base/err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct step {
    const char *key; /* NULL: the step is an index */
    size_t key_length;
    size_t index;
};

struct extraction {
    struct message_encoded *message;
    json_t *bodies; /* the head's "bodies" */
    size_t parts_capacity;
    size_t path_bytes; /* about what "bodies" takes in the head */
    size_t depth;
    struct step path[JSON_DEPTH_MAX];
    int rc;
};

static json_t *step_json(const struct step *step)
{
    if (step->key)
        return json_stringn_nocheck(step->key, step->key_length);
    return json_integer((json_int_t)step->index);
}

/* [length, step, step, ...]; NULL: no memory. */
static json_t *entry_new(const struct extraction *out, size_t length)
{
    _cleanup_json_ json_t *entry = json_array();
    if (json_array_append_new(entry, json_integer((json_int_t)length)) < 0)
        return NULL;
    for (size_t i = 0; i < out->depth; i++) {
        if (json_array_append_new(entry, step_json(&out->path[i])) < 0)
            return NULL;
    }
    return json_incref(entry);
}

static int parts_grow(struct extraction *out)
{
    if (out->message->part_count < out->parts_capacity)
        return 0;
    size_t capacity = out->parts_capacity ? out->parts_capacity * 2 : 8;
    struct frame_part *parts = realloc(out->message->parts, capacity * sizeof(*parts));
    if (!parts)
        return -ENOMEM;
    out->message->parts = parts;
    out->parts_capacity = capacity;
    return 0;
}

/* Notes the string as a body of its own. -E2BIG: so many that the head cannot name them. */
static int body_add(struct extraction *out, json_t *string)
{
    size_t length = json_string_length(string);
    for (size_t i = 0; i < out->depth; i++)
        out->path_bytes += out->path[i].key_length + 2;
    if (out->path_bytes > FRAME_HEAD_BYTES_MAX)
        return -E2BIG;
    if (parts_grow(out) < 0 || json_array_append_new(out->bodies, entry_new(out, length)) < 0 ||
        json_array_append(out->message->tree, string) < 0)
        return -ENOMEM;
    out->message->parts[out->message->part_count++] =
        (struct frame_part){.data = json_string_value(string), .length = length};
    return 0;
}

/* json_copy of jansson 2.14 leaves out what it had no memory for and does not say so. */
static json_t *container_copy(json_t *value)
{
    _cleanup_json_ json_t *copy = json_copy(value);
    if (!copy || json_object_size(copy) != json_object_size(value) ||
        json_array_size(copy) != json_array_size(value))
        return NULL;
    return json_incref(copy);
}

static json_t *value_extract(struct extraction *out, json_t *value);

/* Extracts the child that path's last step names and stores it in *copy (made from value at the
 * first child that differs). */
static int child_extract(struct extraction *out, json_t *value, json_t *child, json_t **copy)
{
    const struct step step = out->path[out->depth - 1];
    _cleanup_json_ json_t *replaced = value_extract(out, child);
    if (!replaced)
        return out->rc;
    if (replaced == child)
        return 0;
    if (!*copy)
        *copy = container_copy(value);
    int failed = !*copy;
    if (!failed && step.key)
        failed = json_object_setn_nocheck(*copy, step.key, step.key_length, replaced);
    else if (!failed)
        failed = json_array_set(*copy, step.index, replaced);
    return failed ? (out->rc = -ENOMEM) : 0;
}

static int children_extract(struct extraction *out, json_t *value, json_t **copy)
{
    struct step *step = &out->path[out->depth++];
    const char *key;
    size_t length, index;
    json_t *child;
    int rc = 0;
    if (json_is_object(value)) {
        json_object_keylen_foreach(value, key, length, child)
        {
            *step = (struct step){.key = key, .key_length = length};
            rc = rc < 0 ? rc : child_extract(out, value, child, copy);
        }
    } else {
        json_array_foreach(value, index, child)
        {
            *step = (struct step){.index = index};
            rc = rc < 0 ? rc : child_extract(out, value, child, copy);
        }
    }
    out->depth--;
    return rc;
}

/* A new reference to value without its long strings, value itself when it has none. NULL and
 * out->rc on failure. */
static json_t *value_extract(struct extraction *out, json_t *value)
{
    if (json_is_string(value) && json_string_length(value) > FRAME_INLINE_TEXT_MAX) {
        out->rc = body_add(out, value);
        return out->rc < 0 ? NULL : json_null();
    }
    if (!json_is_object(value) && !json_is_array(value))
        return json_incref(value);
    if (out->depth == JSON_DEPTH_MAX) {
        out->rc = -ELOOP; /* as a JSON body it would be too deep as well */
        return NULL;
    }
    _cleanup_json_ json_t *copy = NULL;
    if (children_extract(out, value, &copy) < 0)
        return NULL;
    return json_incref(copy ? copy : value);
}

static int head_append(struct message_encoded *message, const json_t *head)
{
    buf_clear(&message->head);
    return json_append(&message->head, head);
}

/* Strings out one by one. -E2BIG or -EMSGSIZE when the head comes out too large. */
static int encode_with_bodies(json_t *head, const char *key, json_t *subtree,
                              struct message_encoded *message)
{
    _cleanup_json_ json_t *bodies = json_array();
    struct extraction out = {.message = message, .bodies = bodies, .depth = 1};
    message->tree = json_array();
    if (!bodies || !message->tree)
        return -ENOMEM;
    out.path[0] = (struct step){.key = key, .key_length = strlen(key)};
    _cleanup_json_ json_t *lean = value_extract(&out, subtree);
    if (!lean)
        return out.rc;
    if (message->part_count == 0)
        return head_append(message, head);
    _cleanup_json_ json_t *copy = container_copy(head);
    if (!copy || json_object_set(copy, key, lean) < 0 ||
        json_object_set(copy, "bodies", bodies) < 0)
        return -ENOMEM;
    return head_append(message, copy);
}

static int encode_as_json_body(json_t *head, const char *key, json_t *subtree,
                               struct message_encoded *message)
{
    _cleanup_json_ json_t *rest = container_copy(head);
    json_decref(message->tree);
    message->tree = NULL;
    message->part_count = 0;
    struct frame_part *part = realloc(message->parts, sizeof(*part));
    if (part)
        message->parts = part;
    if (!rest || !part)
        return -ENOMEM;
    json_object_del(rest, key);
    int rc = json_append(&message->json_body, subtree);
    if (rc < 0)
        return rc;
    *part =
        (struct frame_part){.data = message->json_body.data, .length = message->json_body.length};
    message->part_count = 1;
    message->flags = FRAME_JSON_BODY;
    return head_append(message, rest);
}

static int message_fill(json_t *head, const char *subtree_key, struct message_encoded *message)
{
    json_t *subtree = subtree_key ? json_object_get(head, subtree_key) : NULL;
    if (!subtree)
        return head_append(message, head);
    int rc = encode_with_bodies(head, subtree_key, subtree, message);
    if (rc == -E2BIG || rc == -EMSGSIZE)
        rc = encode_as_json_body(head, subtree_key, subtree, message);
    return rc == -ELOOP ? -EMSGSIZE : rc;
}

int message_encode(json_t *head, const char *subtree_key, struct message_encoded *ret_message)
{
    *ret_message = (struct message_encoded){0};
    buf_init(&ret_message->head, FRAME_HEAD_BYTES_MAX);
    buf_init(&ret_message->json_body, FRAME_JSON_BODY_BYTES_MAX);
    int rc = message_fill(head, subtree_key, ret_message);
    struct frame_header header = {0};
    if (rc == 0) {
        struct frame_part text = {.data = ret_message->head.data,
                                  .length = ret_message->head.length};
        rc = frame_header_measure(&header, &text, ret_message->parts, ret_message->part_count);
    }
    if (rc < 0)
        message_encoded_deinit(ret_message);
    return rc;
}

void message_encoded_deinit(struct message_encoded *message)
{
    buf_deinit(&message->head);
    buf_deinit(&message->json_body);
    free(message->parts);
    json_decref(message->tree);
    *message = (struct message_encoded){0};
}

/* The REPLY's header, head and bodies, ready for frame_send or frame_queue_push. */
struct reply {
    struct message_encoded message;
    struct frame_header header;
    struct frame_part head;
};

static void reply_cleanup(struct reply *reply)
{
    message_encoded_deinit(&reply->message);
}

static int reply_encode(uint64_t id, json_t *result, struct reply *reply)
{
    _cleanup_json_ json_t *head = json_object();
    if (!head || json_object_set(head, "result", result) < 0)
        return -ENOMEM;
    int rc = message_encode(head, "result", &reply->message);
    if (rc < 0)
        return rc;
    const json_t *error = json_object_get(result, "error");
    int failed = error && !json_is_null(error) ? FRAME_ERROR : 0;
    reply->header = (struct frame_header){
        .id = id, .type = FRAME_REPLY, .flags = (uint16_t)(reply->message.flags | failed)};
    reply->head =
        (struct frame_part){.data = reply->message.head.data, .length = reply->message.head.length};
    return 0;
}

int message_reply_queue(struct frame_queue *queue, uint64_t id, json_t *result)
{
    struct reply reply __attribute__((cleanup(reply_cleanup))) = {0};
    int rc = reply_encode(id, result, &reply);
    if (rc < 0)
        return rc;
    return frame_queue_push(queue, &reply.header, &reply.head, reply.message.parts,
                            reply.message.part_count);
}

int message_reply_send(int fd, uint64_t id, json_t *result)
{
    struct reply reply __attribute__((cleanup(reply_cleanup))) = {0};
    int rc = reply_encode(id, result, &reply);
    if (rc < 0)
        return rc;
    return frame_send(fd, &reply.header, &reply.head, reply.message.parts,
                      reply.message.part_count);
}
