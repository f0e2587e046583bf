/* SPDX-License-Identifier: MIT
 *
 * The table of exit codes, and finding out which command they belong to. Only a reading aid:
 * nothing is decided on it.
 */
#include "tools/exit_meaning.h"

#include "base/str.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *commands; /* each between blanks */
    int code;
    const char *meaning;
} meanings[] = {
    {" grep egrep fgrep rg ag ack ", 1, "no match was found (not an error)"},
    {" diff colordiff ", 1, "the files differ (not an error)"},
    {" find ", 1, "some directories could not be read; the results may still be valid"},
    {" test [ ", 1, "the condition is false (not an error)"},
    {" curl ", 6, "the host name could not be resolved"},
    {" curl ", 7, "the connection failed"},
    {" curl ", 22, "the server answered with an HTTP error (400 or above)"},
    {" curl ", 28, "the operation timed out"},
    {" git ", 1, "normal for some git commands, for example diff with changes"},
};

/* Steps over a quoted part; text points at its opening quote. */
static const char *skip_quoted(const char *text)
{
    char quote = *text++;

    while (*text != '\0' && *text != quote) {
        text += *text == '\\' && quote == '"' && text[1] != '\0' ? 2 : 1;
    }
    return *text != '\0' ? text + 1 : text;
}

static bool is_separator(const char *start, const char *at)
{
    if (*at == '|' || *at == ';' || *at == '\n') {
        return true;
    }
    /* "2>&1" and "&>file" are redirections */
    return *at == '&' && at[1] != '>' && (at == start || (at[-1] != '>' && at[-1] != '<'));
}

/* Where the last command of the pipeline or list begins. */
static const char *last_segment(const char *command)
{
    const char *segment = command;
    const char *text = command;

    while (*text != '\0') {
        if (*text == '\\' && text[1] != '\0') {
            text += 2;
        } else if (*text == '\'' || *text == '"') {
            text = skip_quoted(text);
        } else {
            bool separator = is_separator(command, text);
            text++;
            if (separator && text[strspn(text, " \t\r\n;&|")] != '\0') {
                segment = text;
            }
        }
    }
    return segment;
}

static bool is_assignment(const char *word, size_t length)
{
    size_t i = 0;

    while (i < length && (isalnum((unsigned char)word[i]) || word[i] == '_')) {
        i++;
    }
    return i > 0 && i < length && word[i] == '=';
}

/* The end of a word, quotes respected. */
static const char *word_end(const char *text)
{
    while (*text != '\0' && strchr(" \t\r\n;&|", *text) == NULL) {
        text = *text == '\'' || *text == '"'      ? skip_quoted(text)
               : *text == '\\' && text[1] != '\0' ? text + 2
                                                  : text + 1;
    }
    return text;
}

/* The command's name without its directory, in name; "" when there is none. */
static void base_command(const char *command, char name[64])
{
    const char *word = last_segment(command);
    const char *end = NULL;

    name[0] = '\0';
    for (;;) {
        word += strspn(word, " \t\r\n;&|(){}!");
        end = word_end(word);
        if (!is_assignment(word, (size_t)(end - word))) {
            break;
        }
        word = end;
    }
    for (const char *at = word; at < end; at++) {
        if (*at == '/') {
            word = at + 1;
        }
    }
    if (end - word > 0 && end - word < 60) {
        snprintf(name, 64, "%.*s", (int)(end - word), word);
    }
}

static const char *signal_meaning(int exit_code, char *buffer, size_t size)
{
    const char *name =
        exit_code > 128 && exit_code < 128 + 65 ? sigabbrev_np(exit_code - 128) : NULL;

    if (name == NULL) {
        return NULL;
    }
    snprintf(buffer, size, "a command was ended by SIG%s (128 + %d)", name, exit_code - 128);
    return buffer;
}

const char *exit_meaning(const char *command, int exit_code, char *buffer, size_t size)
{
    char name[64], pattern[70];

    if (exit_code == 0) {
        return NULL;
    }
    base_command(command, name);
    snprintf(pattern, sizeof(pattern), " %s ", name);
    for (size_t i = 0; name[0] != '\0' && i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        if (meanings[i].code == exit_code && strstr(meanings[i].commands, pattern) != NULL) {
            return meanings[i].meaning;
        }
    }
    return signal_meaning(exit_code, buffer, size);
}
