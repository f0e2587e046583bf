/* SPDX-License-Identifier: MIT
 *
 * Reads what bash's `export -p` prints. The text passed through processes that a script controls,
 * so it is parsed, never evaluated here.
 */
#include "tools/shell_state.h"

#include "base/buf.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

/* \ooo with one to three octal digits. */
static const char *decode_octal(const char *text, char *ret_byte)
{
    unsigned value = 0;
    int digits = 0;

    for (; digits < 3 && *text >= '0' && *text <= '7'; digits++) {
        value = value * 8 + (unsigned)(*text++ - '0');
    }
    *ret_byte = (char)value;
    return text;
}

/* One escape of $'...' after its backslash. */
static const char *decode_ansi_escape(const char *text, char *ret_byte)
{
    static const char names[] = "abefnrtvE", bytes[] = "\a\b\033\f\n\r\t\v\033";
    const char *found = *text != '\0' ? strchr(names, *text) : NULL;

    if (*text >= '0' && *text <= '7') {
        return decode_octal(text, ret_byte);
    }
    *ret_byte = found != NULL ? bytes[found - names] : *text;
    return text + 1;
}

/* "..." from after the opening quote; only \ before " \ $ ` and newline is an escape there. */
static const char *decode_double_quoted(const char *text, struct buf *value)
{
    while (*text != '"' && *text != '\0') {
        if (*text == '\\' && text[1] != '\0' && strchr("\"\\$`\n", text[1]) != NULL) {
            text++;
        }
        if (buf_append(value, text++, 1) < 0) {
            return NULL;
        }
    }
    return *text == '"' ? text + 1 : NULL;
}

/* $'...' from after the opening quote. */
static const char *decode_ansi_quoted(const char *text, struct buf *value)
{
    while (*text != '\'' && *text != '\0') {
        char byte = *text++;
        if (byte == '\\' && *text != '\0') {
            text = decode_ansi_escape(text, &byte);
        }
        if (buf_append(value, &byte, 1) < 0) {
            return NULL;
        }
    }
    return *text == '\'' ? text + 1 : NULL;
}

/* The value after '='; returns what follows it, NULL when it is malformed. */
static const char *decode_value(const char *text, struct buf *value)
{
    if (*text == '"') {
        return decode_double_quoted(text + 1, value);
    }
    if (text[0] == '$' && text[1] == '\'') {
        return decode_ansi_quoted(text + 2, value);
    }
    return NULL;
}

/* Arrays cannot be exported: their declaration is stepped over, quotes respected. */
static const char *skip_array(const char *text)
{
    _cleanup_buf_ struct buf ignored = BUF_INIT(SHELL_RECORD_BYTES_MAX);

    while (text != NULL && *text != ')' && *text != '\0') {
        buf_clear(&ignored);
        text = *text == '"' || (text[0] == '$' && text[1] == '\'') ? decode_value(text, &ignored)
                                                                   : text + 1;
    }
    return text != NULL && *text == ')' ? text + 1 : NULL;
}

/* One "declare -x NAME[=value]"; returns what follows it. */
static const char *parse_entry(const char *text, struct env_list *list, int *ret_error)
{
    _cleanup_buf_ struct buf entry = BUF_INIT(SHELL_RECORD_BYTES_MAX);
    size_t name = 0;

    *ret_error = -EINVAL;
    if (!str_starts_with(text, "declare -")) {
        return NULL;
    }
    text += strcspn(text + 9, " \n") + 9;
    if (*text++ != ' ') {
        return NULL;
    }
    name = strcspn(text, "=\n");
    if (!env_name_is_identifier(text, name)) {
        return NULL;
    }
    *ret_error = 0;
    if (text[name] != '=') { /* exported, but without a value */
        return text + name;
    }
    if (text[name + 1] == '(') {
        return skip_array(text + name + 1);
    }
    *ret_error = buf_append(&entry, text, name + 1);
    text = decode_value(text + name + 1, &entry);
    if (*ret_error == 0 && text != NULL && entry.length < SHELL_ENTRY_BYTES_MAX) {
        *ret_error = buf_append(&entry, "", 1);
        if (*ret_error == 0) {
            *ret_error = env_list_set(list, (const char *)entry.data);
        }
    }
    return text;
}

int shell_parse_exports(const char *text, struct env_list *list)
{
    while (*text != '\0') {
        int r = 0;
        text = parse_entry(text, list, &r);
        if (r < 0) {
            return r;
        }
        if (text == NULL || (*text != '\n' && *text != '\0')) {
            return -EINVAL;
        }
        text += *text == '\n';
    }
    return 0;
}
