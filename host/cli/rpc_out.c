/* SPDX-License-Identifier: MIT
 *
 * The output queue. The pipe's mode is left alone, for others may have it open as well: a poll that
 * says "writable" is a promise for PIPE_BUF bytes, and sockets have a flag for one write.
 */
#include "cli/rpc_out.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEEP_BYTES ((size_t)1 << 20) /* more is given back when nothing is in it */

void rpc_out_init(struct rpc_out *out, int fd)
{
    struct stat status;

    *out = (struct rpc_out){.fd = fd};
    out->is_socket = fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

void rpc_out_deinit(struct rpc_out *out)
{
    free(out->data);
    *out = (struct rpc_out){.fd = -1};
}

size_t rpc_out_pending(const struct rpc_out *out)
{
    return out->length - out->start;
}

/* ---- in ---- */

static void die(struct rpc_out *out, int error)
{
    out->error = error;
    free(out->data);
    out->data = NULL;
    out->start = out->length = out->capacity = 0;
}

/* Room for more bytes. What was written is dropped when it is at least half: each byte moves a
 * constant number of times. */
static bool make_room(struct rpc_out *out, size_t more)
{
    size_t capacity = out->capacity ? out->capacity : 16384;
    char *larger;

    if (out->error)
        return false;
    if (out->start > out->length / 2) {
        memmove(out->data, out->data + out->start, out->length - out->start);
        out->length -= out->start;
        out->start = 0;
    }
    if (out->capacity - out->length >= more)
        return true;
    while (capacity - out->length < more)
        capacity *= 2;
    larger = realloc(out->data, capacity);
    if (!larger) {
        die(out, -ENOMEM);
        return false;
    }
    out->data = larger;
    out->capacity = capacity;
    return true;
}

void rpc_out_add(struct rpc_out *out, const char *data, size_t length)
{
    if (length == 0 || !make_room(out, length))
        return;
    memcpy(out->data + out->length, data, length);
    out->length += length;
}

void rpc_out_text(struct rpc_out *out, const char *text)
{
    rpc_out_add(out, text, strlen(text));
}

void rpc_out_number(struct rpc_out *out, unsigned long long number)
{
    char text[24];

    snprintf(text, sizeof text, "%llu", number);
    rpc_out_text(out, text);
}

void rpc_out_json(struct rpc_out *out, const char *json, size_t length)
{
    while (length) {
        const char *newline = memchr(json, '\n', length);
        size_t part = newline ? (size_t)(newline - json) : length;

        rpc_out_add(out, json, part);
        if (newline)
            rpc_out_add(out, " ", 1);
        json += part + (newline != NULL);
        length -= part + (newline != NULL);
    }
}

/* ---- strings ---- */

/* Bytes of the character that begins so; 0: none does. */
static size_t sequence_bytes(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Whether byte may stand at this place (1, 2, 3) of a character that begins with first. */
static bool may_follow(unsigned char first, size_t place, unsigned char byte)
{
    unsigned char low = 0x80, high = 0xbf;

    if (place == 1 && first == 0xe0)
        low = 0xa0;
    else if (place == 1 && first == 0xf0)
        low = 0x90;
    else if (place == 1 && first == 0xed)
        high = 0x9f;
    else if (place == 1 && first == 0xf4)
        high = 0x8f;
    return byte >= low && byte <= high;
}

/* How many of the bytes are the whole or the beginning of a character; *ret_whole says which. */
static size_t character_length(const unsigned char *bytes, size_t length, bool *ret_whole)
{
    size_t wanted = sequence_bytes(bytes[0]), have = 1;

    while (have < wanted && have < length && may_follow(bytes[0], have, bytes[have]))
        have++;
    *ret_whole = have == wanted;
    return have;
}

static void add_escaped(struct rpc_out *out, unsigned char byte)
{
    char text[8];

    if (byte == '\n')
        snprintf(text, sizeof text, "\\n");
    else if (byte == '"' || byte == '\\')
        snprintf(text, sizeof text, "\\%c", byte);
    else
        snprintf(text, sizeof text, "\\u%04x", byte);
    rpc_out_text(out, text);
}

static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

/* Escapes whole characters of data; returns how many bytes at its end are the beginning of one. */
static size_t add_characters(struct rpc_out *out, const unsigned char *data, size_t length)
{
    size_t i = 0;

    while (i < length) {
        size_t run = i;
        bool whole;

        while (run < length && is_plain(data[run]))
            run++;
        rpc_out_add(out, (const char *)data + i, run - i);
        i = run;
        if (i == length)
            break;
        size_t bytes = character_length(data + i, length - i, &whole);
        if (!whole && i + bytes == length && sequence_bytes(data[i]))
            return bytes;
        if (!whole)
            rpc_out_text(out, "\xef\xbf\xbd");
        else if (bytes == 1)
            add_escaped(out, data[i]);
        else
            rpc_out_add(out, (const char *)data + i, bytes);
        i += bytes;
    }
    return 0;
}

/* What waits in carry, completed with bytes of data. Returns how many of them were used. */
static size_t carry_complete(struct rpc_out *out, struct rpc_carry *carry,
                             const unsigned char *data, size_t length)
{
    size_t used = 0;
    bool whole = false;

    while (carry->length && used < length && !whole) {
        size_t before = carry->length;

        carry->bytes[carry->length++] = data[used];
        if (character_length(carry->bytes, carry->length, &whole) == before) {
            carry->length = 0; /* this byte does not belong to it */
            rpc_out_text(out, "\xef\xbf\xbd");
            return used;
        }
        used++;
    }
    if (whole) {
        rpc_out_add(out, (const char *)carry->bytes, carry->length);
        carry->length = 0;
    }
    return used;
}

void rpc_out_string(struct rpc_out *out, struct rpc_carry *carry, const char *data, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)data;
    size_t used, left;

    rpc_out_add(out, "\"", 1);
    used = carry ? carry_complete(out, carry, bytes, length) : 0;
    left = used < length ? add_characters(out, bytes + used, length - used) : 0;
    if (left && carry) {
        memcpy(carry->bytes, bytes + length - left, left);
        carry->length = left;
    } else if (left) {
        rpc_out_text(out, "\xef\xbf\xbd");
    }
    rpc_out_add(out, "\"", 1);
}

/* ---- out ---- */

static ssize_t write_some(const struct rpc_out *out, const char *data, size_t length)
{
    struct pollfd writable = {.fd = out->fd, .events = POLLOUT};

    if (out->is_socket)
        return send(out->fd, data, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (poll(&writable, 1, 0) == 1)
        return write(out->fd, data, length < PIPE_BUF ? length : PIPE_BUF);
    errno = EAGAIN;
    return -1;
}

bool rpc_out_flush(struct rpc_out *out)
{
    bool any = false;

    while (out->start < out->length) {
        ssize_t n = write_some(out, out->data + out->start, out->length - out->start);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN)
            die(out, -errno);
        if (n < 0)
            return any;
        out->start += (size_t)n;
        any = true;
    }
    out->start = out->length = 0;
    if (out->capacity > KEEP_BYTES) {
        free(out->data);
        out->data = NULL;
        out->capacity = 0;
    }
    return any;
}
