/* SPDX-License-Identifier: MIT
 *
 * Lines from a file descriptor that somebody polls: one read for each turn, at most one line that is
 * too long in memory, each byte looked at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A body of 64 MiB and what stands around it. */
#define RPC_LINE_BYTES_MAX ((64u << 20) + (64u << 10))

struct rpc_in {
    char *data;
    size_t start, scanned, length,
        capacity; /* of data: the line's start; no newline before; filled */
    size_t limit; /* bytes of a line */
    bool ended;
    bool skipping; /* the rest of a line that was too long */
};

enum rpc_line { RPC_LINE_NONE, RPC_LINE_THERE, RPC_LINE_TOO_LONG };

void rpc_in_init(struct rpc_in *in, size_t limit);
void rpc_in_deinit(struct rpc_in *in);

/* One read(2), after poll(2) has said that it does not block. 0 or negative errno. */
int rpc_in_fill(struct rpc_in *in, int fd);

/* The next line without its newline, borrowed until the next call; after the end of file also a last
 * one that has no newline. RPC_LINE_TOO_LONG comes once for a line of which nothing is kept. */
enum rpc_line rpc_in_next(struct rpc_in *in, const char **ret_line, size_t *ret_length);

/* Whether a fill can help: not at the end, and no whole line waits. */
bool rpc_in_wants(struct rpc_in *in);
