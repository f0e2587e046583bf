/* SPDX-License-Identifier: MIT
 *
 * Messages: input is one byte of flags, two of head length, the head, the body. What decodes must
 * survive encoding and decoding again.
 */
#include "base/err.h"
#include "fuzz.h"
#include "wire/message.h"

#include <errno.h>

static json_t *decode(const void *head, size_t head_bytes, const void *body, size_t body_bytes,
                      uint16_t flags, struct err *err)
{
    struct frame frame = {.header = {.head_bytes = (uint32_t)head_bytes,
                                     .body_bytes = (uint32_t)body_bytes,
                                     .type = FRAME_CALL,
                                     .flags = flags},
                          .head = head,
                          .body = body};
    return message_decode(&frame, "args", err);
}

static void round_trip_check(json_t *json)
{
    struct message_encoded message;
    int rc = message_encode(json, "args", &message);
    CHECK(rc == 0 || rc == -EMSGSIZE);
    if (rc < 0)
        return;
    _cleanup_buf_ struct buf body = BUF_INIT(0);
    for (size_t i = 0; i < message.part_count; i++)
        CHECK(buf_append(&body, message.parts[i].data, message.parts[i].length) == 0);
    _cleanup_json_ json_t *again =
        decode(message.head.data, message.head.length, body.data, body.length, message.flags, NULL);
    /* A JSON body of full depth stands one level too deep for a head. */
    CHECK(!again || json_equal(json, again));
    message_encoded_deinit(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    size_t head_bytes = data[1] | (size_t)data[2] << 8;
    if (head_bytes > size - 3)
        head_bytes = size - 3;
    size_t body_bytes = size - 3 - head_bytes;
    char *head = exact_copy(data + 3, head_bytes);
    char *body = exact_copy(data + 3 + head_bytes, body_bytes);
    struct err err = ERR_INIT;
    _cleanup_json_ json_t *json =
        decode(head, head_bytes, body, body_bytes, data[0] & FRAME_JSON_BODY, &err);
    CHECK((json == NULL) == (err.code != 0));
    if (json) {
        CHECK(json_is_object(json) && !json_object_get(json, "bodies"));
        round_trip_check(json);
    }
    free(head);
    free(body);
    return 0;
}
