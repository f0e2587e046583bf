/* SPDX-License-Identifier: MIT
 *
 * yaml_check with libyaml.
 */
#include "tools/yaml_check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <yaml.h>

/* libyaml looks at every open bracket for each token: depth costs time squared. */
#define DEPTH_MAX 1000

/* How much deeper than this event the next one is. */
static int event_depth(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return 1;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return -1;
    default:
        return 0;
    }
}

/* The reader, which refuses bytes that are no characters, only knows how many came before. */
static yaml_mark_t offset_mark(const char *text, size_t offset)
{
    yaml_mark_t mark = {0};

    for (size_t i = 0; i < offset; i++) {
        bool newline = text[i] == '\n';
        mark.line += newline;
        mark.column = newline ? 0 : mark.column + ((text[i] & 0xc0) != 0x80);
    }
    return mark;
}

static void fault_fill(const yaml_parser_t *parser, const char *text, struct yaml_fault *fault)
{
    yaml_mark_t mark = parser->error == YAML_READER_ERROR
                           ? offset_mark(text, parser->problem_offset)
                           : parser->problem_mark;

    snprintf(fault->message, sizeof fault->message, "%s",
             parser->problem ? parser->problem : "not YAML");
    fault->line = (int)mark.line + 1;
    fault->column = (int)mark.column + 1;
}

static int events_read(yaml_parser_t *parser, const char *text, struct yaml_fault *fault)
{
    bool ended = false;
    int depth = 0;

    while (!ended) {
        yaml_event_t event;

        if (!yaml_parser_parse(parser, &event)) {
            fault_fill(parser, text, fault);
            return parser->error == YAML_MEMORY_ERROR ? -ENOMEM : 1;
        }
        ended = event.type == YAML_STREAM_END_EVENT;
        depth += event_depth(&event);
        yaml_event_delete(&event);
        if (depth > DEPTH_MAX)
            return -E2BIG;
    }
    return 0;
}

int yaml_check(const char *text, size_t length, struct yaml_fault *ret_fault)
{
    yaml_parser_t parser;
    int r;

    if (!yaml_parser_initialize(&parser))
        return -ENOMEM;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    r = events_read(&parser, text, ret_fault);
    yaml_parser_delete(&parser);
    return r;
}
