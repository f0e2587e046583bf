/* SPDX-License-Identifier: MIT
 *
 * The command line's parser. Options end at the script: everything after it belongs to the script.
 * After -c CODE they go on (a forgotten limit must not become an argument of the script), and "--"
 * ends them.
 */
#include "cli/options.h"

#include "cli/nearest.h"
#include "include/ptc_host.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum own {
    OWN_JSON,
    OWN_CONFIG,
    OWN_NO_CONFIG,
    OWN_LOG_LEVEL,
    OWN_LOG_FILE,
    OWN_HELP,
    OWN_VERSION,
    OWN_FORMAT,
    OWN_ROUNDS,
    OWN_PYTHON,
    OWN_COUNT
};

static const struct cli_own_option own_table[OWN_COUNT + 1] = {
    [OWN_JSON] = {"json", NULL, "Print one JSON object on standard output and nothing else.", 0},
    [OWN_CONFIG] = {"config", "FILE", "Read this config file instead of the default one.", 0},
    [OWN_NO_CONFIG] = {"no-config", NULL, "Read no config file.", 0},
    [OWN_LOG_LEVEL] = {"log-level", "LEVEL",
                       "What to log: error, warning, info or debug. [warning]", 0},
    [OWN_LOG_FILE] = {"log-file", "FILE", "Append the log to FILE instead of standard error.", 0},
    [OWN_HELP] = {"help", NULL, "Show this help (also -h).", 0},
    [OWN_VERSION] = {"version", NULL, "Show the version (also -V).", 0},
    [OWN_FORMAT] = {"format", "FORMAT", "Whose shape: openai, anthropic or mcp. [openai]",
                    CLI_FOR_SCHEMA},
    [OWN_ROUNDS] = {"rounds", "N", "How many interleaved rounds to measure, 1 to 1000. [5]",
                    CLI_FOR_BENCH},
    [OWN_PYTHON] = {"python", "FILE", "The interpreter to compare with.", CLI_FOR_BENCH},
};

struct parser {
    struct cli_options *options;
    char **argv;
    int argc;
    int next;
    bool (*is_command)(const char *name);
};

const struct cli_own_option *options_own_at(size_t index)
{
    return index < OWN_COUNT ? &own_table[index] : NULL;
}

__attribute__((format(printf, 2, 3))) static int problem(struct cli_options *options,
                                                         const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(options->problem, sizeof options->problem, format, args);
    va_end(args);
    return -1;
}

const char *options_flag(const char *name, char *buffer, size_t size)
{
    snprintf(buffer, size, "--%s", name);
    for (char *c = buffer; *c; c++)
        if (*c == '_')
            *c = '-';
    return buffer;
}

/* '-' and '_' are the same in an option's name. length is that of name up to a '='. */
static bool name_equal(const char *known, const char *name, size_t length)
{
    if (strlen(known) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((known[i] == '_' ? '-' : known[i]) != (name[i] == '_' ? '-' : name[i]))
            return false;
    return true;
}

static int report_unknown(struct cli_options *options, const char *name, size_t length)
{
    char wanted[80];
    struct nearest nearest;

    snprintf(wanted, sizeof wanted, "%.*s", length > 60 ? 60 : (int)length, name);
    nearest_init(&nearest, wanted);
    for (size_t i = 0; i < OWN_COUNT; i++)
        nearest_offer(&nearest, own_table[i].name);
    for (size_t i = 0; ptc_option_info_at(i); i++)
        if (ptc_option_info_at(i)->help)
            nearest_offer(&nearest, ptc_option_info_at(i)->name);
    char flag[80];
    if (nearest.best)
        return problem(options, "unknown option '--%s'; did you mean '%s'?", wanted,
                       options_flag(nearest.best, flag, sizeof flag));
    return problem(options, "unknown option '--%s'; 'ptc-host --help' lists them all", wanted);
}

/* The value of an option that takes one: what stands after '=', else the next word. */
static const char *take_value(struct parser *parser, const char *equals)
{
    if (equals)
        return equals + 1;
    return parser->next < parser->argc ? parser->argv[parser->next++] : NULL;
}

static int set_log_level(struct cli_options *options, const char *value)
{
    static const char *const levels[] = {"error", "warning", "info", "debug"};

    for (int i = 0; i < 4; i++) {
        if (strcmp(levels[i], value) != 0)
            continue;
        options->log_level = i;
        return 0;
    }
    return problem(options, "--log-level: '%.60s' is not one of error, warning, info, debug",
                   value);
}

static int set_rounds(struct cli_options *options, const char *value)
{
    char *end;

    errno = 0;
    options->rounds = strtol(value, &end, 10);
    if (errno || end == value || *end || options->rounds < 1 || options->rounds > 1000)
        return problem(options, "--rounds: '%.60s' is not a number from 1 to 1000", value);
    return 0;
}

static int own_apply(struct cli_options *options, enum own own, const char *value)
{
    switch (own) {
    case OWN_JSON:
        options->json = true;
        return 0;
    case OWN_CONFIG:
        options->config = value;
        return 0;
    case OWN_NO_CONFIG:
        options->no_config = true;
        return 0;
    case OWN_LOG_LEVEL:
        return set_log_level(options, value);
    case OWN_LOG_FILE:
        options->log_file = value;
        return 0;
    case OWN_HELP:
        options->help = true;
        return 0;
    case OWN_VERSION:
        options->version = true;
        return 0;
    case OWN_FORMAT:
        options->format = value;
        return 0;
    case OWN_ROUNDS:
        return set_rounds(options, value);
    case OWN_PYTHON:
        options->python = value;
        return 0;
    case OWN_COUNT:
        break;
    }
    return -1;
}

static int own_parse(struct parser *parser, enum own own, const char *equals)
{
    const struct cli_own_option *option = &own_table[own];

    if (!option->value_name && equals)
        return problem(parser->options, "--%s takes no value", option->name);
    const char *value = option->value_name ? take_value(parser, equals) : NULL;
    if (option->value_name && !value)
        return problem(parser->options, "--%s needs a value: --%s %s", option->name, option->name,
                       option->value_name);
    return own_apply(parser->options, own, value);
}

static int run_option_parse(struct parser *parser, const struct ptc_option_info *info,
                            const char *equals)
{
    struct cli_options *options = parser->options;
    char flag[80];
    const char *value = info->value_name ? take_value(parser, equals) : equals ? equals + 1 : NULL;

    options_flag(info->name, flag, sizeof flag);
    if (info->value_name && !value)
        return problem(options, "%s needs a value: %s %s", flag, flag, info->value_name);
    options->run[options->run_count++] = (struct cli_run_option){info->name, value};
    return 0;
}

static int long_parse(struct parser *parser, const char *name)
{
    const char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);

    for (int own = 0; own < OWN_COUNT; own++)
        if (name_equal(own_table[own].name, name, length))
            return own_parse(parser, own, equals);
    for (size_t i = 0; ptc_option_info_at(i); i++)
        if (name_equal(ptc_option_info_at(i)->name, name, length))
            return run_option_parse(parser, ptc_option_info_at(i), equals);
    return report_unknown(parser->options, name, length);
}

static int short_parse(struct parser *parser, const char *word)
{
    struct cli_options *options = parser->options;

    if (word[1] == 'c') {
        options->code = word[2] ? word + 2 : take_value(parser, NULL);
        return options->code ? 0 : problem(options, "-c needs the code: -c 'print(1)'");
    }
    if (strcmp(word, "-h") == 0)
        return own_apply(options, OWN_HELP, NULL);
    if (strcmp(word, "-V") == 0)
        return own_apply(options, OWN_VERSION, NULL);
    return problem(options, "unknown option '%.60s'; 'ptc-host --help' lists them all", word);
}

static void take_rest(struct parser *parser)
{
    parser->options->args = parser->argv + parser->next;
    parser->options->arg_count = (size_t)(parser->argc - parser->next);
    parser->next = parser->argc;
}

static int word_parse(struct parser *parser, const char *word, bool may_be_command)
{
    struct cli_options *options = parser->options;

    if (options->command && strcmp(options->command, "help") == 0 && !options->topic) {
        options->topic = word;
        return 0;
    }
    if (options->command && strcmp(options->command, "tool") == 0 && !options->arg_count) {
        if (!options->script) {
            options->script = word;
        } else {
            options->args = parser->argv + parser->next - 1;
            options->arg_count = 1;
        }
        return 0;
    }
    if (options->command)
        return problem(options, "'ptc-host %s' takes no argument '%.60s'", options->command, word);
    if (!options->code && may_be_command && parser->is_command(word)) {
        options->command = word;
        return 0;
    }
    if (options->code)
        parser->next--; /* the word is the first argument of the code */
    else
        options->script = word;
    take_rest(parser);
    return 0;
}

static int dashes_parse(struct parser *parser)
{
    if (parser->next == parser->argc)
        return 0;
    return word_parse(parser, parser->argv[parser->next++], false);
}

static int parse(struct parser *parser)
{
    int r = 0;

    while (r == 0 && parser->next < parser->argc) {
        const char *word = parser->argv[parser->next++];
        if (strcmp(word, "--") == 0)
            r = dashes_parse(parser);
        else if (strncmp(word, "--", 2) == 0)
            r = long_parse(parser, word + 2);
        else if (word[0] == '-' && word[1])
            r = short_parse(parser, word);
        else
            r = word_parse(parser, word, true);
    }
    return r;
}

static int check_combination(struct cli_options *options)
{
    const char *command = options->command ? options->command : "";
    bool help = options->help || strcmp(command, "help") == 0;

    if (help || options->version)
        return 0;
    if (*command && options->code)
        return problem(options, "-c does not go with the command '%s'", command);
    if (options->format && strcmp(command, "schema") != 0)
        return problem(options, "--format belongs to 'ptc-host schema'");
    if ((options->rounds || options->python) && strcmp(command, "bench") != 0)
        return problem(options, "--%s belongs to 'ptc-host bench'",
                       options->rounds ? "rounds" : "python");
    if (options->config && options->no_config)
        return problem(options, "--config and --no-config exclude each other");
    return 0;
}

int options_parse(struct cli_options *options, int argc, char **argv,
                  bool (*is_command)(const char *name))
{
    struct parser parser = {options, argv, argc, 1, is_command};

    *options = (struct cli_options){.log_level = PTC_LOG_WARNING};
    options->run = calloc((size_t)argc + 1, sizeof *options->run);
    if (!options->run)
        return problem(options, "no memory");
    int r = parse(&parser);
    if (r == 0)
        r = check_combination(options);
    /* What follows the mistake may still say which form the answer must have. */
    for (; r < 0 && parser.next < argc; parser.next++)
        if (strcmp(argv[parser.next], "--json") == 0)
            options->json = true;
    return r;
}

void options_deinit(struct cli_options *options)
{
    free(options->run);
    options->run = NULL;
    options->run_count = 0;
}
