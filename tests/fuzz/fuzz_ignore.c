/* SPDX-License-Identifier: MIT
 *
 * gitignore files: the last line is the path, what stands before it are the rules. Adding the rule
 * "*" drops everything, and after it the rule "!*" keeps everything.
 */
#include "fuzz.h"
#include "tools/ignore.h"

static enum ignore_verdict judge(const char *text, size_t length, const char *more,
                                 const char *path, bool is_directory)
{
    size_t more_length = strlen(more);
    char *whole = malloc(length + more_length + 1);
    CHECK(whole);
    memcpy(whole, text, length);
    memcpy(whole + length, more, more_length);
    char *exact = exact_copy(whole, length + more_length);
    struct ignore_rules *rules = ignore_rules_parse(exact, length + more_length);
    free(exact);
    free(whole);
    CHECK(rules);
    enum ignore_verdict verdict = ignore_rules_match(rules, path, is_directory);
    ignore_rules_free(rules);
    return verdict;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *last = size ? memrchr(data, '\n', size) : NULL;
    size_t rules = last ? (size_t)(last - data) : 0;
    char *path = calloc(1, size + 2);
    CHECK(path);
    if (last)
        memcpy(path, last + 1, size - rules - 1);
    if (path[0] == '\0')
        strcpy(path, "x");
    judge((const char *)data, rules, "", path, size % 2);
    CHECK(judge((const char *)data, rules, "\n*\n", path, true) == IGNORE_DROP);
    CHECK(judge((const char *)data, rules, "\n*\n!*\n", path, false) == IGNORE_KEEP);
    free(path);
    return 0;
}
