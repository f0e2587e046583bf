/* SPDX-License-Identifier: MIT
 *
 * A JSON checker whose whole state is a few numbers, so that it can stop anywhere.
 */
#include "base/json_scan.h"

#include "base/err.h"
#include "base/json.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What may come next. */
enum state {
    VALUE,
    VALUE_OR_END,
    NAME,
    NAME_OR_END,
    COLON,
    COMMA_OR_END,
    STRING,
    NAME_STRING,
    END
};

void json_scan_init(struct json_scan *scan, const char *text, size_t length)
{
    *scan = (struct json_scan){.text = text, .length = length, .state = VALUE};
}

void json_scan_deinit(struct json_scan *scan)
{
    free(scan->members);
    scan->members = NULL;
    scan->member_count = 0;
}

static int syntax_refuse(const struct json_scan *scan, struct err *err)
{
    return err_set(err, -EINVAL, "invalid JSON at byte %zu", scan->at);
}

static bool in_object(const struct json_scan *scan)
{
    return scan->objects >> (scan->depth - 1) & 1;
}

static struct json_member *last_member(struct json_scan *scan)
{
    return &scan->members[scan->member_count - 1];
}

/* ---- members of the outermost object ---- */

static int member_begin(struct json_scan *scan, struct err *err)
{
    size_t count = scan->member_count;
    if (count == JSON_SCAN_MEMBERS_MAX)
        return err_set(err, -E2BIG, "more than %d members", JSON_SCAN_MEMBERS_MAX);
    if ((count & (count - 1)) == 0) {
        struct json_member *members =
            realloc(scan->members, (count ? count * 2 : 1) * sizeof(*members));
        if (!members)
            return err_set(err, -ENOMEM, "no memory for JSON");
        scan->members = members;
    }
    scan->members[scan->member_count++] =
        (struct json_member){.name_at = scan->string_at, .name_length = scan->at - scan->string_at};
    return 0;
}

static int name_end(struct json_scan *scan, struct err *err)
{
    scan->state = COLON;
    if (scan->at - scan->string_at > JSON_SCAN_TOKEN_MAX)
        return err_set(err, -E2BIG, "a name of more than %d bytes", JSON_SCAN_TOKEN_MAX);
    return scan->depth == 1 ? member_begin(scan, err) : 0;
}

/* A value has ended just before scan->at. */
static void value_end(struct json_scan *scan)
{
    scan->state = scan->depth == 0 ? END : COMMA_OR_END;
    if (scan->depth == 1)
        last_member(scan)->value_length = scan->at - last_member(scan)->value_at;
}

/* ---- tokens ---- */

static bool is_digit(const struct json_scan *scan, size_t at)
{
    return at < scan->length && scan->text[at] >= '0' && scan->text[at] <= '9';
}

static size_t digits_skip(const struct json_scan *scan, size_t at)
{
    size_t end = scan->at + JSON_SCAN_TOKEN_MAX;
    while (at <= end && is_digit(scan, at))
        at++;
    return at;
}

/* The end of the number at scan->at, 0 when there is none. */
static size_t number_end(const struct json_scan *scan)
{
    const char *text = scan->text;
    size_t at = scan->at + (text[scan->at] == '-'), length = scan->length;
    if (!is_digit(scan, at))
        return 0;
    at = text[at] == '0' ? at + 1 : digits_skip(scan, at);
    if (at < length && text[at] == '.') {
        if (!is_digit(scan, ++at))
            return 0;
        at = digits_skip(scan, at);
    }
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < length && (text[at] == '+' || text[at] == '-');
        if (!is_digit(scan, at))
            return 0;
        at = digits_skip(scan, at);
    }
    return at - scan->at > JSON_SCAN_TOKEN_MAX ? 0 : at;
}

static size_t literal_end(const struct json_scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        size_t length = strlen(words[i]);
        if (scan->length - scan->at >= length &&
            memcmp(scan->text + scan->at, words[i], length) == 0)
            return scan->at + length;
    }
    return 0;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Bytes of the escape at scan->at; 0: it is none. */
static size_t escape_length(const struct json_scan *scan)
{
    const char *text = scan->text + scan->at;
    size_t left = scan->length - scan->at;
    if (left >= 2 && text[1] != '\0' && strchr("\"\\/bfnrt", text[1]))
        return 2;
    if (left < 6 || text[1] != 'u')
        return 0;
    for (int i = 2; i < 6; i++)
        if (!is_hex(text[i]))
            return 0;
    return 6;
}

/* Inside a string, until its end or `end`. */
static int string_go_on(struct json_scan *scan, size_t end, struct err *err)
{
    while (scan->at < end) {
        unsigned char c = (unsigned char)scan->text[scan->at];
        if (c >= 0x20 && c != '"' && c != '\\') {
            scan->at++;
            continue;
        }
        if (c == '"') {
            scan->at++;
            if (scan->state == NAME_STRING)
                return name_end(scan, err);
            value_end(scan);
            return 0;
        }
        size_t escape = c == '\\' ? escape_length(scan) : 0;
        if (!escape)
            return syntax_refuse(scan, err);
        scan->at += escape;
    }
    return 0;
}

/* ---- structure ---- */

static int container_open(struct json_scan *scan, bool object, struct err *err)
{
    if (scan->depth == JSON_DEPTH_MAX)
        return err_set(err, -EINVAL, "JSON is nested deeper than %d levels", JSON_DEPTH_MAX);
    uint64_t bit = (uint64_t)1 << scan->depth++;
    scan->objects = object ? scan->objects | bit : scan->objects & ~bit;
    scan->state = object ? NAME_OR_END : VALUE_OR_END;
    scan->at++;
    return 0;
}

static void container_close(struct json_scan *scan)
{
    scan->depth--;
    scan->at++;
    value_end(scan);
}

static void string_open(struct json_scan *scan, enum state state)
{
    scan->string_at = scan->at++;
    scan->state = (int)state;
}

static int value_begin(struct json_scan *scan, char c, struct err *err)
{
    if (++scan->values > JSON_VALUES_MAX)
        return err_set(err, -E2BIG, "JSON has more than %d values", JSON_VALUES_MAX);
    if (scan->depth == 0 && c != '{')
        return syntax_refuse(scan, err);
    if (scan->depth == 1)
        last_member(scan)->value_at = scan->at;
    if (c == '{' || c == '[')
        return container_open(scan, c == '{', err);
    if (c == '"') {
        string_open(scan, STRING);
        return 0;
    }
    size_t end = c == '-' || is_digit(scan, scan->at) ? number_end(scan) : literal_end(scan);
    if (!end)
        return syntax_refuse(scan, err);
    scan->at = end;
    value_end(scan);
    return 0;
}

static int comma_or_end(struct json_scan *scan, char c, struct err *err)
{
    if (c == (in_object(scan) ? '}' : ']')) {
        container_close(scan);
        return 0;
    }
    if (c != ',')
        return syntax_refuse(scan, err);
    scan->state = in_object(scan) ? NAME : VALUE;
    scan->at++;
    return 0;
}

/* One token, or a piece of a string up to `end`. */
static int token(struct json_scan *scan, size_t end, struct err *err)
{
    char c = scan->text[scan->at];
    if (scan->state == STRING || scan->state == NAME_STRING)
        return string_go_on(scan, end, err);
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        scan->at++;
        return 0;
    }
    if ((scan->state == VALUE_OR_END && c == ']') || (scan->state == NAME_OR_END && c == '}')) {
        container_close(scan);
        return 0;
    }
    if (scan->state == VALUE || scan->state == VALUE_OR_END)
        return value_begin(scan, c, err);
    if (scan->state == COMMA_OR_END)
        return comma_or_end(scan, c, err);
    if (scan->state == COLON && c == ':') {
        scan->state = VALUE;
        scan->at++;
        return 0;
    }
    if ((scan->state == NAME || scan->state == NAME_OR_END) && c == '"') {
        string_open(scan, NAME_STRING);
        return 0;
    }
    return syntax_refuse(scan, err);
}

int json_scan_step(struct json_scan *scan, size_t bytes, struct err *err)
{
    size_t left = scan->length - scan->at;
    size_t end = scan->at + (bytes < left ? bytes : left);
    while (scan->at < end) {
        int rc = token(scan, end, err);
        if (rc < 0)
            return rc;
    }
    if (scan->at < scan->length)
        return 0;
    return scan->state == END ? 1 : syntax_refuse(scan, err);
}
