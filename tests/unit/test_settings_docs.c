/* SPDX-License-Identifier: MIT
 *
 * The pages that describe the options name every one of them. The folder is the first argument.
 */
#include "include/ptc_host.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

struct page {
    const char *folder;
};

/* The file without the backslashes that man pages put before a dash. */
static char *page_text(const char *folder, const char *name)
{
    char path[4096];
    size_t length = 0;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s", path);
    char *text = calloc(1, 1 << 20);
    for (int c; (c = getc(file)) != EOF && length < (1 << 20) - 1;)
        if (c != '\\')
            text[length++] = (char)c;
    fclose(file);
    return text;
}

static void dashed(const char *name, char *flag, size_t size)
{
    snprintf(flag, size, "--%s", name);
    for (char *c = flag; *c; c++)
        if (*c == '_')
            *c = '-';
}

static void the_man_page_has_every_option(void **state)
{
    struct page *page = *state;
    char *text = page_text(page->folder, "ptc-host.1");

    for (size_t i = 0; ptc_option_info_at(i); i++) {
        char flag[80];
        dashed(ptc_option_info_at(i)->name, flag, sizeof flag);
        if (ptc_option_info_at(i)->help && !strstr(text, flag))
            fail_msg("ptc-host.1 has no %s", flag);
    }
    free(text);
}

static void the_configuration_page_has_every_key(void **state)
{
    struct page *page = *state;
    char *text = page_text(page->folder, "configuration.md");

    for (size_t i = 0; ptc_option_info_at(i); i++) {
        const struct ptc_option_info *info = ptc_option_info_at(i);
        char cell[80];
        snprintf(cell, sizeof cell, "| `%s` |", info->name);
        char *row = strstr(text, cell);
        if (info->help && !row)
            fail_msg("configuration.md has no row for %s", info->name);
        if (info->help && info->default_value &&
            strncmp(row + strlen(cell) + 1, info->default_value, strlen(info->default_value)) != 0)
            fail_msg("configuration.md: the default of %s is not %s", info->name,
                     info->default_value);
    }
    free(text);
}

int main(int argc, char **argv)
{
    struct page page = {argc > 1 ? argv[1] : "docs"};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(the_man_page_has_every_option, &page),
        cmocka_unit_test_prestate(the_configuration_page_has_every_key, &page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
