/* SPDX-License-Identifier: MIT
 *
 * How Python code spells names that were made for JSON.
 */
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

static const char *const keywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",
};

/* What hermes_tools defines itself, and the type names that its own signatures need. */
static const char *const module_names[] = {
    "ToolError",   "aio",   "describe",  "json_parse",   "retry",    "search_tools",
    "shell_quote", "tools", "Any",       "Callable",     "Optional", "PathLike",
    "TypeVar",     "bool",  "bytearray", "bytes",        "dict",     "float",
    "int",         "list",  "object",    "staticmethod", "str",
};

static bool is_listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

/* ASCII only: Python would fold other letters (NFKC), and the folded name would be another one. */
static bool is_identifier_char(unsigned char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_taken(const char *name, bool is_function)
{
    if (is_listed(name, keywords, sizeof(keywords) / sizeof(keywords[0])))
        return true;
    if (!is_function)
        return false;
    /* Names that begin with '_' are Python's and the module's own. */
    return name[0] == '_' ||
           is_listed(name, module_names, sizeof(module_names) / sizeof(module_names[0]));
}

char *spec_make_python_name(const char *name, bool is_function)
{
    char *made = malloc(strlen(name) + 3); /* '_' before, '_' after, NUL */
    size_t length = 0;

    if (!made)
        return NULL;
    if (name[0] == '\0' || (name[0] >= '0' && name[0] <= '9'))
        made[length++] = '_';
    for (const char *p = name; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (is_identifier_char(c))
            made[length++] = (char)c;
        else if ((c & 0xc0) != 0x80) /* one '_' for each character, not for each byte */
            made[length++] = '_';
    }
    made[length] = '\0';
    if (is_taken(made, is_function)) {
        made[length++] = '_';
        made[length] = '\0';
    }
    return made;
}
