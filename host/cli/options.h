/* SPDX-License-Identifier: MIT
 *
 * The command line, parsed. The options of a run come from the library's table
 * (ptc_option_info_at); the few that only the program has come from a table of their own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Commands that an option of the program's own makes sense for. */
enum { CLI_FOR_ALL = 0, CLI_FOR_SCHEMA = 1, CLI_FOR_BENCH = 2 };

struct cli_own_option {
    const char *name;       /* without dashes */
    const char *value_name; /* NULL: a switch */
    const char *help;
    int commands; /* CLI_FOR_* */
};

struct cli_run_option { /* both borrowed from argv or the library's table */
    const char *name;
    const char *value; /* NULL: a switch without a value */
};

struct cli_options {
    const char *command; /* NULL: run */
    const char *topic;   /* of "help" */
    const char *code;    /* -c */
    const char *script;  /* a path, "-", or NULL */
    char **args;         /* sys.argv[1:] */
    size_t arg_count;
    struct cli_run_option *run; /* in the order given */
    size_t run_count;
    bool json, help, version, no_config;
    const char *config, *log_file;
    int log_level;      /* PTC_LOG_* */
    const char *format; /* schema */
    const char *python; /* bench */
    long rounds;        /* bench */
    char problem[1024]; /* why parsing failed */
};

/* 0, or -1 with options->problem set (options->json is right even then). is_command says which
 * first words are commands. Free with options_deinit in either case. */
int options_parse(struct cli_options *options, int argc, char **argv,
                  bool (*is_command)(const char *name));
void options_deinit(struct cli_options *options);

const struct cli_own_option *options_own_at(size_t index); /* NULL at the end */

/* "max_tool_calls" -> "--max-tool-calls". Returns buffer. */
const char *options_flag(const char *name, char *buffer, size_t size);
