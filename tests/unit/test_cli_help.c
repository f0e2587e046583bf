/* SPDX-License-Identifier: MIT
 *
 * The help texts: every option is there, in a group, and no line is wider than a terminal.
 */
#include "cli/help.h"

#include "cli/commands.h"
#include "cli/options.h"
#include "include/ptc_host.h"
#include "unit.h"

#include <string.h>

static char *text_of(const struct cli_command *command)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    if (command)
        help_command(file, command);
    else
        help_program(file);
    fclose(file);
    return text;
}

static void is_narrow(const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length > 80)
            fail_msg("%zu columns: %.*s", length, (int)length, text);
        if (length && text[length - 1] == ' ')
            fail_msg("blank at the end: %.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void every_option_is_shown(void **state)
{
    char *text = text_of(NULL), flag[80];

    (void)state;
    for (size_t i = 0; ptc_option_info_at(i); i++) {
        const struct ptc_option_info *info = ptc_option_info_at(i);
        options_flag(info->name, flag, sizeof flag);
        assert_int_equal(strstr(text, flag) != NULL, info->help != NULL);
    }
    for (size_t i = 0; options_own_at(i); i++) {
        options_flag(options_own_at(i)->name, flag, sizeof flag);
        assert_int_equal(strstr(text, flag) != NULL, options_own_at(i)->commands == CLI_FOR_ALL);
    }
    assert_null(strstr(text, "More:")); /* the place of options that were put into no group */
    is_narrow(text);
    free(text);
}

static void every_command_has_help(void **state)
{
    (void)state;
    for (size_t i = 0; command_at(i); i++) {
        if (!command_at(i)->summary)
            continue;
        char *text = text_of(command_at(i));
        assert_non_null(strstr(text, command_at(i)->summary));
        is_narrow(text);
        free(text);
    }
}

static void commands_show_their_own_options(void **state)
{
    char *bench = text_of(command_find("bench")), *schema = text_of(command_find("schema"));

    (void)state;
    assert_non_null(strstr(bench, "--rounds"));
    assert_null(strstr(bench, "--format"));
    assert_non_null(strstr(schema, "--format"));
    assert_null(strstr(schema, "--rounds"));
    free(bench);
    free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_shown),
        cmocka_unit_test(every_command_has_help),
        cmocka_unit_test(commands_show_their_own_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
