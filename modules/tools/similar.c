/* SPDX-License-Identifier: MIT
 *
 * Scoring of names and the two directory scans.
 */
#include "tools/similar.h"

#include "base/fd.h"
#include "base/str.h"
#include "tools/unicode_fold.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#define ENTRIES_MAX     2000 /* of a directory that are looked at */
#define SUGGESTIONS_MAX 5

/* Longest common block of a[a0..a1) and b[b0..b1), the leftmost of equals. Names are short: the
 * quadratic way is fine. */
static size_t longest_block(const char *a, size_t a0, size_t a1, const char *b, size_t b0,
                            size_t b1, size_t *ret_a, size_t *ret_b)
{
    size_t best = 0;

    for (size_t i = a0; i < a1; i++) {
        for (size_t j = b0; j < b1; j++) {
            size_t n = 0;
            while (i + n < a1 && j + n < b1 && a[i + n] == b[j + n]) {
                n++;
            }
            if (n > best) {
                best = n;
                *ret_a = i;
                *ret_b = j;
            }
        }
    }
    return best;
}

static size_t matching_bytes(const char *a, size_t a0, size_t a1, const char *b, size_t b0,
                             size_t b1)
{
    size_t at_a = 0, at_b = 0;
    size_t n = longest_block(a, a0, a1, b, b0, b1, &at_a, &at_b);

    if (n == 0) {
        return 0;
    }
    return n + matching_bytes(a, a0, at_a, b, b0, at_b) +
           matching_bytes(a, at_a + n, a1, b, at_b + n, b1);
}

double similar_ratio(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length + b_length == 0) {
        return 1.0;
    }
    return 2.0 * (double)matching_bytes(a, 0, a_length, b, 0, b_length) /
           (double)(a_length + b_length);
}

static void lower_copy(const char *text, char out[NAME_MAX + 1])
{
    size_t i = 0;

    for (; text[i] != '\0' && i < NAME_MAX; i++) {
        out[i] = (char)tolower((unsigned char)text[i]);
    }
    out[i] = '\0';
}

static size_t stem_length(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
}

/* Of the different characters of both names, how many are in each. */
static double shared_characters(const char *a, const char *b)
{
    bool in_a[256] = {false}, in_b[256] = {false};
    size_t shared = 0, all = 0;

    for (; *a != '\0'; a++) {
        in_a[(unsigned char)*a] = true;
    }
    for (; *b != '\0'; b++) {
        in_b[(unsigned char)*b] = true;
    }
    for (size_t i = 0; i < 256; i++) {
        shared += in_a[i] && in_b[i];
        all += in_a[i] || in_b[i];
    }
    return all > 0 ? (double)shared / (double)all : 0.0;
}

int similar_score(const char *wanted, const char *candidate)
{
    char w[NAME_MAX + 1], c[NAME_MAX + 1];
    size_t w_stem = 0, c_stem = 0, w_length = 0, c_length = 0;

    lower_copy(wanted, w);
    lower_copy(candidate, c);
    w_length = strlen(w);
    c_length = strlen(c);
    if (w_length == 0 || c_length == 0) {
        return 0;
    }
    if (strcmp(w, c) == 0) {
        return 100;
    }
    w_stem = stem_length(w);
    c_stem = stem_length(c);
    if (w_stem == c_stem && memcmp(w, c, w_stem) == 0) {
        return 90;
    }
    if (strncmp(w, c, w_length < c_length ? w_length : c_length) == 0) {
        return 70;
    }
    if (strstr(c, w) != NULL) {
        return 60;
    }
    if (similar_ratio(w, w_length, c, c_length) >= 0.8) {
        return 50;
    }
    if (c_length > 2 && strstr(w, c) != NULL) {
        return 40;
    }
    if (w[w_stem] != '\0' && strcmp(w + w_stem, c + c_stem) == 0 &&
        shared_characters(w, c) >= 0.4) {
        return 30;
    }
    return 0;
}

static DIR *directory_open(int directory_fd)
{
    int fd = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;

    if (stream == NULL) {
        fd_close(fd);
    }
    return stream;
}

static void directory_close(DIR **stream)
{
    if (*stream != NULL) {
        closedir(*stream);
    }
}

static const char *directory_next(DIR *stream)
{
    const struct dirent *entry = NULL;

    do {
        entry = readdir(stream);
    } while (entry != NULL &&
             (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry != NULL ? entry->d_name : NULL;
}

struct suggestion {
    int score;
    char name[NAME_MAX + 1];
};

/* Best score first; equal ones by name, because the order of a directory is an accident. */
static bool suggestion_before(int score, const char *name, const struct suggestion *other)
{
    return score != other->score ? score > other->score : strcmp(name, other->name) < 0;
}

static void suggestion_add(struct suggestion *best, size_t *count, int score, const char *name)
{
    size_t at = *count;

    while (at > 0 && suggestion_before(score, name, &best[at - 1])) {
        at--;
    }
    if (at >= SUGGESTIONS_MAX) {
        return;
    }
    if (*count < SUGGESTIONS_MAX) {
        (*count)++;
    }
    memmove(&best[at + 1], &best[at], (*count - 1 - at) * sizeof(*best));
    best[at].score = score;
    strncpy(best[at].name, name, NAME_MAX);
    best[at].name[NAME_MAX] = '\0';
}

json_t *similar_files(int directory_fd, const char *shown_prefix, const char *wanted)
{
    DIR *stream __attribute__((cleanup(directory_close))) = directory_open(directory_fd);
    struct suggestion best[SUGGESTIONS_MAX];
    const char *name = NULL;
    size_t count = 0;
    json_t *list = NULL;

    for (int i = 0; stream != NULL && i < ENTRIES_MAX && (name = directory_next(stream)); i++) {
        int score = similar_score(wanted, name);
        if (score > 0) {
            suggestion_add(best, &count, score, name);
        }
    }
    if (count == 0 || (list = json_array()) == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        _cleanup_free_ char *shown = str_format("%s%s", shown_prefix, best[i].name);
        if (shown != NULL) {
            json_array_append_new(list, json_text(shown, strlen(shown)));
        }
    }
    return list;
}

char *similar_unicode_twin(int directory_fd, const char *wanted)
{
    DIR *stream __attribute__((cleanup(directory_close))) = directory_open(directory_fd);
    _cleanup_free_ char *folded = unicode_fold(wanted);
    const char *name = NULL;
    char *twin = NULL;

    while (stream != NULL && folded != NULL && (name = directory_next(stream)) != NULL) {
        _cleanup_free_ char *other = unicode_fold(name);
        if (other == NULL || strcmp(other, folded) != 0) {
            continue;
        }
        if (twin != NULL) { /* two of them: nobody can tell which one is meant */
            free(twin);
            return NULL;
        }
        twin = strdup(name);
    }
    return twin;
}
