/* SPDX-License-Identifier: MIT
 *
 * Globs: the first line is the pattern, the rest the text. A simple matcher that tries everything
 * has to agree, as far as it gets within its budget.
 */
#include "fuzz.h"
#include "tools/glob.h"

#define STEPS_MAX 20000

/* Stars only: for patterns without brackets and backslashes. -1: out of steps. */
static int simple(const char *p, const char *start, const char *t, int *steps)
{
    if (++*steps > STEPS_MAX)
        return -1;
    if (*p == '\0')
        return *t == '\0';
    if (*p == '*') {
        const char *rest = p + strspn(p, "*");
        bool deep =
            rest - p >= 2 && (p == start || p[-1] == '/') && (*rest == '\0' || *rest == '/');
        if (deep && *rest == '\0')
            return 1;
        if (deep) {
            int r = simple(rest + 1, start, t, steps);
            for (const char *slash = t; r == 0 && (slash = strchr(slash, '/')); slash++)
                r = simple(rest + 1, start, slash + 1, steps);
            return r;
        }
        for (;; t++) {
            int r = simple(rest, start, t, steps);
            if (r != 0 || *t == '\0' || *t == '/')
                return r;
        }
    }
    if (*t == '\0' || (*p == '?' ? *t == '/' : *p != *t))
        return 0;
    return simple(p + 1, start, t + 1, steps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *newline = memchr(data, '\n', size);
    size_t length = newline ? (size_t)(newline - data) : size;
    char *pattern = calloc(1, length + 1), *text = calloc(1, size - length + 1);
    struct glob_set set;
    int steps = 0;

    CHECK(pattern && text);
    memcpy(pattern, data, length);
    if (newline)
        memcpy(text, newline + 1, size - length - 1);
    bool matches = glob_match(pattern, text, 0);
    if (strpbrk(pattern, "[\\") == NULL) {
        int expected = simple(pattern, pattern, text, &steps);
        CHECK(expected < 0 || expected == matches);
        CHECK(!matches || glob_match(pattern, text, GLOB_ICASE));
    }
    if (glob_set_init(&set, pattern, size % 2, 0) == 0) {
        glob_set_match(&set, text, text);
        glob_set_deinit(&set);
    }
    free(pattern);
    free(text);
    return 0;
}
