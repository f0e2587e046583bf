/* SPDX-License-Identifier: MIT
 *
 * The line reader.
 */
#include "cli/rpc_in.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES ((size_t)64 << 10)
#define KEEP_BYTES ((size_t)1 << 20) /* more is given back when nothing is in it */

void rpc_in_init(struct rpc_in *in, size_t limit)
{
    *in = (struct rpc_in){.limit = limit};
}

void rpc_in_deinit(struct rpc_in *in)
{
    free(in->data);
    *in = (struct rpc_in){0};
}

/* Moves what is left to the front. Only when a line has been taken since, so that every byte moves
 * once at most. */
static void compact(struct rpc_in *in)
{
    size_t left = in->length - in->start;

    if (in->start == 0)
        return;
    if (left == 0 && in->capacity > KEEP_BYTES) {
        free(in->data);
        in->data = NULL;
        in->capacity = 0;
    } else if (left) {
        memmove(in->data, in->data + in->start, left);
    }
    in->scanned -= in->start;
    in->length = left;
    in->start = 0;
}

static int make_room(struct rpc_in *in)
{
    size_t capacity;
    char *larger;

    compact(in);
    if (in->capacity - in->length >= READ_BYTES)
        return 0;
    capacity = in->capacity ? in->capacity * 2 : READ_BYTES * 2;
    larger = realloc(in->data, capacity);
    if (!larger)
        return -ENOMEM;
    in->data = larger;
    in->capacity = capacity;
    return 0;
}

int rpc_in_fill(struct rpc_in *in, int fd)
{
    ssize_t n;

    if (make_room(in) < 0)
        return -ENOMEM;
    n = read(fd, in->data + in->length, READ_BYTES);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN ? 0 : -errno;
    if (n == 0)
        in->ended = true;
    in->length += (size_t)n;
    return 0;
}

/* Where the line that begins at start ends, or NULL: its newline has not come. */
static const char *newline_find(struct rpc_in *in)
{
    const char *found = in->length > in->scanned
                            ? memchr(in->data + in->scanned, '\n', in->length - in->scanned)
                            : NULL;

    in->scanned = found ? (size_t)(found - in->data) : in->length;
    return found;
}

static void drop_all(struct rpc_in *in)
{
    in->start = in->scanned = in->length;
}

enum rpc_line rpc_in_next(struct rpc_in *in, const char **ret_line, size_t *ret_length)
{
    const char *end = newline_find(in);
    bool was_skipping = in->skipping;
    size_t length = in->scanned - in->start;

    if (!end && !was_skipping && length > in->limit) {
        in->skipping = true;
        drop_all(in);
        return RPC_LINE_TOO_LONG;
    }
    if (!end && (was_skipping || !in->ended || length == 0)) {
        if (was_skipping)
            drop_all(in);
        return RPC_LINE_NONE;
    }
    *ret_line = in->data + in->start;
    *ret_length = length;
    in->scanned += end != NULL;
    in->start = in->scanned;
    in->skipping = false;
    if (was_skipping)
        return rpc_in_next(in, ret_line, ret_length);
    return length > in->limit ? RPC_LINE_TOO_LONG : RPC_LINE_THERE;
}

bool rpc_in_wants(struct rpc_in *in)
{
    return !in->ended && !newline_find(in);
}
