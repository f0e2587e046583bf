/* SPDX-License-Identifier: MIT
 *
 * Checks a JSON object's text piece by piece, without building anything, and says where its members
 * stand. For texts that are too large to be parsed in one go by a thread that has other things to do.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct err;

#define JSON_SCAN_MEMBERS_MAX 1000
#define JSON_SCAN_TOKEN_MAX   4096 /* bytes of a member's name or of a number */

struct json_member {               /* offsets into the text */
    size_t name_at, name_length;   /* with its quotes */
    size_t value_at, value_length; /* without blanks around */
};

struct json_scan {
    const char *text; /* borrowed */
    size_t length, at;
    size_t string_at; /* inside a string: where it began */
    int state;
    unsigned depth;
    uint64_t objects; /* bit n: the container at depth n+1 is an object */
    size_t values;
    struct json_member *members;
    size_t member_count;
};

void json_scan_init(struct json_scan *scan, const char *text, size_t length);
void json_scan_deinit(struct json_scan *scan);

/* Goes on for about `bytes` bytes. 1: the whole text is one valid object; 0: there is more; -EINVAL,
 * -E2BIG (over JSON_VALUES_MAX, JSON_SCAN_MEMBERS_MAX, JSON_SCAN_TOKEN_MAX), -ENOMEM with err set. The
 * rules are json_parse's, but for names given twice, numbers out of range, and text that is no UTF-8
 * inside strings. */
int json_scan_step(struct json_scan *scan, size_t bytes, struct err *err);
