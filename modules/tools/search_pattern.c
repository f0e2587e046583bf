/* SPDX-License-Identifier: MIT
 *
 * One pass over the pattern. It knows the everyday syntax; at the first construct that it does not
 * know it stops claiming anything beyond what keeps the search correct.
 */
#include "tools/search_pattern.h"

#include "base/buf.h"
#include "tools/search_branch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NESTING_MAX 64

struct reader {
    const char *at, *end;
    struct buf out; /* the pattern as it is rewritten */
    struct buf literal;
    bool only_literal;
    bool unsure; /* something unknown was met */
    struct pattern *pattern;
    int nesting;
};

static void emit(struct reader *reader, const char *text, size_t length)
{
    if (buf_append(&reader->out, text, length) < 0) {
        reader->unsure = true;
    }
}

/* "{2}", "{2,}", "{,3}" is text in PCRE2 10.42. Returns its length, 0: it is no quantifier. */
static size_t braces_length(const char *at, const char *end, bool *ret_zero)
{
    const char *start = at++;
    const char *digits = at;
    unsigned long value = 0;

    while (at < end && *at >= '0' && *at <= '9' && at - digits < 6) {
        value = value * 10 + (unsigned long)(*at++ - '0');
    }
    if (at == digits) {
        return 0;
    }
    if (at < end && *at == ',') {
        at++;
        while (at < end && *at >= '0' && *at <= '9') {
            at++;
        }
    }
    *ret_zero = value == 0;
    return at < end && *at == '}' ? (size_t)(at + 1 - start) : 0;
}

struct quantifier {
    bool present, may_be_absent;
};

static struct quantifier quantifier_read(struct reader *reader)
{
    struct quantifier quantifier = {0};
    const char *start = reader->at;
    size_t length = 0;
    bool zero = false;

    if (reader->at >= reader->end) {
        return quantifier;
    }
    if (strchr("*?+", *reader->at) != NULL && *reader->at != '\0') {
        length = 1;
        zero = *reader->at != '+';
    } else if (*reader->at == '{') {
        length = braces_length(reader->at, reader->end, &zero);
    }
    if (length == 0) {
        return quantifier;
    }
    reader->only_literal = false;
    reader->at += length;
    quantifier = (struct quantifier){true, zero};
    if (reader->at < reader->end && *reader->at == '+') { /* gives nothing back */
        reader->pattern->each_line = true;
        reader->at++;
    } else if (reader->at < reader->end && *reader->at == '?') {
        reader->at++;
    }
    emit(reader, start, (size_t)(reader->at - start));
    return quantifier;
}

static void atom_literal(struct reader *reader, struct atom *atom, const char *bytes, size_t length)
{
    atom->kind = ATOM_CHAR;
    memcpy(atom->bytes, bytes, length);
    atom->length = length;
    if (buf_append(&reader->literal, bytes, length) < 0) {
        reader->only_literal = false;
    }
}

/* A class, from behind its '['. In a negated one a newline is added to what it does not match. */
static void class_read(struct reader *reader, struct atom *atom)
{
    const char *start = reader->at;
    bool negated = reader->at < reader->end && *reader->at == '^';
    bool newline = false, closed = false;

    atom->kind = ATOM_OTHER;
    reader->only_literal = false;
    reader->at += negated;
    if (reader->at < reader->end && *reader->at == ']') {
        reader->at++;
    }
    while (reader->at < reader->end && !closed) {
        char c = *reader->at++;
        if (c == '\\' && reader->at < reader->end) {
            newline |= *reader->at == 'n';
            reader->unsure |= *reader->at == 'Q' || *reader->at == 'E';
            reader->at++;
        } else if (c == '[' && reader->at < reader->end && strchr(":.=", *reader->at) != NULL) {
            const char *stop = memmem(reader->at, (size_t)(reader->end - reader->at), ":]", 2);
            reader->at = stop != NULL ? stop + 2 : reader->at;
        } else {
            newline |= c == '\n';
            closed = c == ']';
        }
    }
    reader->unsure |= !closed;
    reader->pattern->multi_line |= newline && !negated;
    emit(reader, "[", 1);
    if (negated && !newline && start + 1 < reader->end && start[1] != ']') {
        emit(reader, "^\\n", 3);
        start++;
    }
    emit(reader, start, (size_t)(reader->at - start));
}

/* Behind a backslash. */
static void escape_read(struct reader *reader, struct atom *atom)
{
    static const struct {
        char name;
        const char *rewritten;
    } classes[] = {{'s', "[^\\S\\n]"}, {'D', "[^\\d\\n]"}, {'W', "[^\\w\\n]"}};
    char c = reader->at < reader->end ? *reader->at : '\0';

    atom->kind = ATOM_OTHER;
    if (reader->at >= reader->end) {
        reader->unsure = true;
        emit(reader, "\\", 1);
        return;
    }
    reader->at++;
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (c == classes[i].name) {
            reader->only_literal = false;
            emit(reader, classes[i].rewritten, strlen(classes[i].rewritten));
            return;
        }
    }
    emit(reader, (char[]){'\\', c}, 2);
    if (c == 'n') {
        reader->pattern->multi_line = true;
        atom_literal(reader, atom, "\n", 1);
    } else if (c == 't' || c == 'r') {
        atom_literal(reader, atom, c == 't' ? "\t" : "\r", 1);
        reader->pattern->has_cr |= c == 'r';
    } else if (c == 'b' || c == 'B') {
        atom->kind = ATOM_EMPTY;
        reader->only_literal = false;
    } else if (strchr("dwSNhv", c) != NULL) {
        reader->only_literal = false;
        reader->pattern->each_line |= c == 'v';
    } else if ((unsigned char)c < 128 && strchr("0123456789", c) == NULL &&
               !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) {
        atom_literal(reader, atom, &c, 1);
    } else { /* back references, \x41, \p{L}, \A, \Q...: whatever it is, nothing is claimed */
        reader->unsure = true;
    }
}

static void alternatives_read(struct reader *reader, struct pattern_literals *ret_literals);

/* Behind "(?": what kind of group. False: one that is not known. */
static bool group_kind_read(struct reader *reader)
{
    static const char *const known[] = {":", "P<", "<"};
    const char *at = reader->at + 1;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        size_t length = strlen(known[i]);
        if ((size_t)(reader->end - at) <= length || memcmp(at, known[i], length) != 0) {
            continue;
        }
        at += length;
        if (known[i][length - 1] == '<') {
            if (*at == '=' || *at == '!' || *at == '*') {
                return false; /* looks behind */
            }
            at = memchr(at, '>', (size_t)(reader->end - at));
            if (at == NULL) {
                return false;
            }
            at++;
        }
        emit(reader, reader->at, (size_t)(at - reader->at));
        reader->at = at;
        return true;
    }
    return false;
}

/* Behind '('. */
static void group_read(struct reader *reader, struct atom *atom)
{
    atom->kind = ATOM_GROUP;
    reader->only_literal = false;
    emit(reader, "(", 1);
    if (reader->at < reader->end && (*reader->at == '?' || *reader->at == '*') &&
        (*reader->at == '*' || !group_kind_read(reader))) {
        reader->unsure = true;
        return;
    }
    if (++reader->nesting > NESTING_MAX) {
        reader->unsure = true;
        return;
    }
    alternatives_read(reader, &atom->literals);
    reader->nesting--;
    if (reader->at >= reader->end || *reader->at != ')') {
        reader->unsure = true;
        return;
    }
    emit(reader, ")", 1);
    reader->at++;
}

static size_t character_length(const struct reader *reader)
{
    size_t length = 1;

    while (length < 4 && reader->at + length < reader->end &&
           ((unsigned char)reader->at[length] & 0xc0) == 0x80) {
        length++;
    }
    return length;
}

static void atom_read(struct reader *reader, struct atom *atom)
{
    char c = *reader->at;
    size_t length = 1;

    *atom = (struct atom){.kind = ATOM_OTHER};
    if (c == '\\' || c == '[' || c == '(') {
        reader->at++;
        (c == '\\' ? escape_read : c == '[' ? class_read : group_read)(reader, atom);
        return;
    }
    if (c == '^' || c == '$' || c == '.') {
        atom->kind = c == '.' ? ATOM_OTHER : ATOM_EMPTY;
        reader->only_literal = false;
        reader->pattern->wants_crlf |= c == '$';
    } else {
        length = character_length(reader);
        reader->pattern->multi_line |= c == '\n';
        reader->pattern->has_cr |= c == '\r';
        atom_literal(reader, atom, reader->at, length);
    }
    emit(reader, reader->at, length);
    reader->at += length;
}

static void branch_read(struct reader *reader, struct branch *branch)
{
    struct atom atom;

    while (!reader->unsure && reader->at < reader->end && *reader->at != '|' &&
           *reader->at != ')') {
        struct quantifier quantifier;
        atom_read(reader, &atom);
        if (reader->unsure) {
            return;
        }
        quantifier = quantifier_read(reader);
        if (atom.kind == ATOM_CHAR && !quantifier.may_be_absent) {
            branch_append(branch, &atom, reader->pattern->ignores_case);
        }
        if (atom.kind == ATOM_GROUP && !quantifier.may_be_absent) {
            branch_consider(branch, &atom.literals);
        }
        if (quantifier.present || atom.kind == ATOM_GROUP || atom.kind == ATOM_OTHER) {
            branch_flush(branch);
        }
    }
    branch_flush(branch);
}

/* Any of the branches may match, so one literal of each is needed. */
static void alternatives_read(struct reader *reader, struct pattern_literals *ret_literals)
{
    bool known = true;

    *ret_literals = (struct pattern_literals){0};
    for (;;) {
        struct branch branch = {0};
        branch_read(reader, &branch);
        known = known && branch.best.count > 0 &&
                ret_literals->count + branch.best.count <= PATTERN_LITERALS_MAX;
        for (size_t i = 0; known && i < branch.best.count; i++) {
            ret_literals->items[ret_literals->count++] = branch.best.items[i];
        }
        if (reader->unsure || reader->at >= reader->end || *reader->at != '|') {
            break;
        }
        reader->only_literal = false;
        emit(reader, "|", 1);
        reader->at++;
    }
    if (!known) {
        ret_literals->count = 0;
    }
}

static bool is_ascii(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] >= 128) {
            return false;
        }
    }
    return true;
}

/* The rest of a pattern that is not understood: only newlines matter. */
static bool has_newline(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n' || (text[i] == '\\' && i + 1 < length && text[i + 1] == 'n')) {
            return true;
        }
        i += text[i] == '\\';
    }
    return false;
}

void pattern_init(struct pattern *pattern, const char *text, size_t length, bool ignores_case)
{
    bool caseless = length >= 4 && memcmp(text, "(?i)", 4) == 0;
    struct reader reader = {.at = text + (caseless ? 4 : 0),
                            .end = text + length,
                            .only_literal = !caseless && !ignores_case,
                            .pattern = pattern};

    *pattern = (struct pattern){.is_ascii = is_ascii(text, length),
                                .ignores_case = caseless || ignores_case};
    if (caseless) {
        emit(&reader, text, 4);
    }
    alternatives_read(&reader, &pattern->required);
    if (reader.at < reader.end) {
        reader.unsure = true;
    }
    if (reader.unsure) {
        size_t left = (size_t)(reader.end - reader.at);
        pattern->multi_line |= has_newline(reader.at, left);
        pattern->wants_crlf |= memchr(reader.at, '$', left) != NULL;
        pattern->has_cr |= memmem(reader.at, left, "\\r", 2) != NULL;
        pattern->each_line = true;
        pattern->required.count = 0;
    } else if (reader.only_literal && length > 0 && reader.literal.length > 0) {
        pattern->literal = buf_steal_text(&reader.literal, &pattern->literal_length);
    } else if (!pattern->multi_line && !pattern->each_line) {
        pattern->rewritten = buf_steal_text(&reader.out, &pattern->rewritten_length);
    }
    buf_deinit(&reader.literal);
    buf_deinit(&reader.out);
}

void pattern_deinit(struct pattern *pattern)
{
    free(pattern->literal);
    free(pattern->rewritten);
    *pattern = (struct pattern){0};
}

bool pattern_has_syntax(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (strchr("\\^$.[]|()?*+{}", text[i]) != NULL && text[i] != '\0') {
            return true;
        }
    }
    return false;
}

char *pattern_quote(const char *text, size_t length, size_t *ret_length)
{
    char *quoted = malloc(2 * length + 1);
    size_t out = 0;

    if (quoted == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < length; i++) {
        if (pattern_has_syntax(text + i, 1)) {
            quoted[out++] = '\\';
        }
        quoted[out++] = text[i];
    }
    quoted[out] = '\0';
    *ret_length = out;
    return quoted;
}
