/* SPDX-License-Identifier: MIT
 *
 * Help texts. Options and their sentences come from the tables; only the grouping and the examples
 * are written here.
 */
#include "cli/help.h"

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "include/ptc_host.h"

#include <stdbool.h>
#include <string.h>

#define HELP_WIDTH  80
#define HELP_COLUMN 26

struct group {
    const char *title;
    const char *names[12];
};

static const struct group groups[] = {
    {"What the script may do", {"profile", "workspace", "tools", "session", "net", "env"}},
    {"How much",
     {"timeout", "cpu", "memory", "processes", "max_tool_calls", "max_output", "max_file",
      "ask_timeout", "heartbeat"}},
    {"How it is started", {"preload", "cold"}},
};
#define GROUP_COUNT (sizeof groups / sizeof groups[0])

static const char *const synopsis =
    "ptc-host runs a Python script that calls tools as plain functions. The script\n"
    "runs in a confined CPython of its own; only what it prints comes back.\n";

static const char *const examples =
    "Examples:\n"
    "  ptc-host -c 'import hermes_tools; help(hermes_tools)'\n"
    "      the tools that a script can call\n"
    "  ptc-host --timeout 60 --tools read_file,search_files digest.py src\n"
    "      a script with an argument, two tools, one minute\n"
    "  ptc-host --json - < script.py | jq -r .output\n"
    "      what an agent does: script on standard input, a JSON result back\n";

static const char *const exit_codes =
    "Exit codes:\n"
    "  The script's own; 128+N when signal N killed it. Ours, which come with a line\n"
    "  'ptc-host: ...' on standard error:\n"
    "   64  wrong usage, or nothing to run    79  the script broke the call protocol\n"
    "   74  the output cannot be written     124  out of time (--timeout)\n"
    "   78  no sandbox on this machine       130  interrupted\n";

static const char *const config =
    "Config file:\n"
    "  $XDG_CONFIG_HOME/ptc-host/config.json or ~/.config/ptc-host/config.json:\n"
    "      {\"run\": {\"timeout\": 60, \"tools\": [\"read_file\", \"terminal\"]}}\n"
    "  Its keys are the options above, with underscores. The command line wins.\n";

/* Words of text from column on; the text starts at column already. */
static void print_wrapped(FILE *file, const char *text, size_t column)
{
    size_t used = column;

    while (*text) {
        size_t length = strcspn(text, " ");
        if (used > column && used + 1 + length > HELP_WIDTH) {
            fprintf(file, "\n%*s", (int)column, "");
            used = column;
        } else if (used > column) {
            putc(' ', file);
            used++;
        }
        fwrite(text, 1, length, file);
        used += length;
        text += length;
        text += strspn(text, " ");
    }
    putc('\n', file);
}

static void print_entry(FILE *file, const char *left, const char *text)
{
    int length = fprintf(file, "  %s", left);

    if (length > HELP_COLUMN - 2)
        fprintf(file, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(file, "%*s", HELP_COLUMN - length, "");
    print_wrapped(file, text, HELP_COLUMN);
}

static void print_option(FILE *file, const char *name, const char *value_name, const char *help,
                         const char *default_value, bool repeatable)
{
    char flag[80], left[160], text[512];

    options_flag(name, flag, sizeof flag);
    snprintf(left, sizeof left, "%s%s%s", flag, value_name ? " " : "",
             value_name ? value_name : "");
    snprintf(text, sizeof text, "%s%s%s%s%s", help, repeatable ? " May be repeated." : "",
             default_value ? " [" : "", default_value ? default_value : "",
             default_value ? "]" : "");
    print_entry(file, left, text);
}

static void print_run_option(FILE *file, const struct ptc_option_info *info)
{
    print_option(file, info->name, info->value_name, info->help, info->default_value,
                 info->repeatable);
}

static const struct group *group_of(const char *name)
{
    for (size_t i = 0; i < GROUP_COUNT; i++)
        for (size_t j = 0; j < 12 && groups[i].names[j]; j++)
            if (strcmp(groups[i].names[j], name) == 0)
                return &groups[i];
    return NULL;
}

/* group NULL: the options that no group knows (a newer library than this program). */
static void print_group(FILE *file, const struct group *group)
{
    bool titled = false;

    for (size_t i = 0; ptc_option_info_at(i); i++) {
        const struct ptc_option_info *info = ptc_option_info_at(i);
        if (!info->help || group_of(info->name) != group)
            continue;
        if (!titled)
            fprintf(file, "%s:\n", group ? group->title : "More");
        titled = true;
        print_run_option(file, info);
    }
    if (titled)
        putc('\n', file);
}

static void print_own_options(FILE *file, const char *title, int commands)
{
    fprintf(file, "%s:\n", title);
    for (size_t i = 0; options_own_at(i); i++) {
        const struct cli_own_option *option = options_own_at(i);
        if (option->commands == commands)
            print_option(file, option->name, option->value_name, option->help, NULL, false);
    }
    putc('\n', file);
}

static void print_options(FILE *file)
{
    for (size_t i = 0; i < GROUP_COUNT; i++)
        print_group(file, &groups[i]);
    print_group(file, NULL);
    print_own_options(file, "The program", CLI_FOR_ALL);
}

static void print_usage(FILE *file, const char *usage)
{
    fputs("Usage:\n", file);
    while (*usage) {
        size_t length = strcspn(usage, "\n");
        fprintf(file, "  %.*s\n", (int)length, usage);
        usage += length + (usage[length] == '\n');
    }
}

static void print_commands(FILE *file)
{
    fputs("Commands:\n", file);
    for (size_t i = 0; command_at(i); i++)
        if (command_at(i)->summary)
            print_entry(file, command_at(i)->name, command_at(i)->summary);
    fputs("  'ptc-host COMMAND --help' tells more. A script with such a name: ./schema\n\n", file);
}

void help_program(FILE *file)
{
    const struct cli_command *run = command_find("run");

    fprintf(file, "%s\n", synopsis);
    print_usage(file, run->usage);
    fputs("  ptc-host COMMAND [OPTIONS]\n\n", file);
    fprintf(file, "%s\n", examples);
    print_commands(file);
    print_options(file);
    fprintf(file, "%s\n%s", exit_codes, config);
}

void help_command(FILE *file, const struct cli_command *command)
{
    fprintf(file, "%s\n\n", command->summary);
    print_usage(file, command->usage);
    fprintf(file, "\n%s%s", command->about, *command->about ? "\n" : "");
    if (command->options != CLI_FOR_ALL)
        print_own_options(file, "Options of this command", command->options);
    print_options(file);
}

void help_short(void)
{
    fputs("Usage: ptc-host [OPTIONS] SCRIPT [ARGS...]   or   ptc-host -c CODE\n"
          "Try:   ptc-host -c 'import hermes_tools; help(hermes_tools)'\n"
          "'ptc-host --help' shows everything.\n",
          stderr);
}
