/* SPDX-License-Identifier: MIT
 *
 * jansson for the lines of ptc-host rpc, with the rules of the protocol: strict UTF-8, no key twice,
 * a limit of values, errors in words. The only place of this folder that knows jansson's header.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

#define RPC_JSON_VALUES_MAX (1 << 20) /* in one line: it must not become gigabytes of json_t */

static inline void rpc_json_cleanup(json_t **json)
{
    json_decref(*json);
}
#define _cleanup_rpc_json_ __attribute__((cleanup(rpc_json_cleanup)))

/* One value and nothing after it. NULL: problem says what is wrong, where it can with the column. */
json_t *rpc_json_parse(const char *text, size_t length, char *problem, size_t size);

/* "a string", "an integer", "null": for messages. */
const char *rpc_json_type(const json_t *json);

/* Compact text, to be freed. NULL: no memory. */
char *rpc_json_text(const json_t *json, size_t *ret_length);
