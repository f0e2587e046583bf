/* SPDX-License-Identifier: MIT
 *
 * What the service says, on its way out: a queue of bytes, written as far as the reader takes them.
 * Nothing here blocks; whoever fills the queue asks rpc_out_is_full first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The first bytes of a character whose rest has not come yet. */
struct rpc_carry {
    unsigned char bytes[4];
    size_t length;
};

struct rpc_out {
    int fd;
    bool is_socket;
    char *data;
    size_t start, length, capacity; /* of data: written up to start */
    int error;                      /* negative errno: it is dead, and everything is dropped */
};

void rpc_out_init(struct rpc_out *out, int fd);
void rpc_out_deinit(struct rpc_out *out);

/* Bytes as they are. */
void rpc_out_add(struct rpc_out *out, const char *data, size_t length);
void rpc_out_text(struct rpc_out *out, const char *text);
void rpc_out_number(struct rpc_out *out, unsigned long long number);

/* JSON that is made already; newlines between its tokens would end the line: they become blanks. */
void rpc_out_json(struct rpc_out *out, const char *json, size_t length);

/* A JSON string with its quotes. What is not UTF-8 becomes U+FFFD; a character that is not whole at
 * the end waits in carry (NULL: it becomes U+FFFD too). */
void rpc_out_string(struct rpc_out *out, struct rpc_carry *carry, const char *data, size_t length);

size_t rpc_out_pending(const struct rpc_out *out);

/* Writes what can be written now. True: something has gone. */
bool rpc_out_flush(struct rpc_out *out);
