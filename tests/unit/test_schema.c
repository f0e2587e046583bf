/* SPDX-License-Identifier: MIT
 *
 * What models are told: the three formats, only enabled tools, only configured limits.
 */
#include "fail_alloc.h"

#include "base/buf.h"
#include "spec/pystub.h"
#include "spec/schema.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct schema_limits usual = {
    .timeout_ms = 300000, .output_bytes = 50000, .tool_calls = 50};

static json_t *make(const char *list, const struct schema_limits *limits, enum schema_format format)
{
    struct toolset set;
    assert_int_equal(toolset_select(&set, list, NULL, NULL), 0);
    json_t *json = schema_execute_code(&set, limits, format);
    assert_non_null(json);
    toolset_deinit(&set);
    return json;
}

static char *describe(const char *list, const struct schema_limits *limits)
{
    json_t *json = make(list, limits, SCHEMA_MCP);
    char *text = strdup(json_string_value(json_object_get(json, "description")));
    json_decref(json);
    return text;
}

static void expect_tool(const json_t *tool, const char *parameters_key)
{
    const json_t *parameters = json_object_get(tool, parameters_key);

    assert_int_equal(json_object_size(tool), 3);
    assert_string_equal(json_string_value(json_object_get(tool, "name")), "execute_code");
    assert_true(json_string_length(json_object_get(tool, "description")) > 100);
    assert_string_equal(json_string_value(json_object_get(parameters, "type")), "object");
    assert_non_null(json_object_get(json_object_get(parameters, "properties"), "code"));
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(parameters, "required"), 0)), "code");
}

static void test_formats(void **state)
{
    (void)state;
    json_t *json = make("all", &usual, SCHEMA_OPENAI);
    assert_int_equal(json_object_size(json), 2);
    assert_string_equal(json_string_value(json_object_get(json, "type")), "function");
    expect_tool(json_object_get(json, "function"), "parameters");
    json_decref(json);
    json = make("all", &usual, SCHEMA_ANTHROPIC);
    expect_tool(json, "input_schema");
    json_decref(json);
    json = make("all", &usual, SCHEMA_MCP);
    expect_tool(json, "inputSchema");
    json_decref(json);
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word)) {
        bool before = p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_');
        bool after = isalnum((unsigned char)p[length]) || p[length] == '_';
        if (!before && !after)
            return true;
    }
    return false;
}

/* Every one of the 128 subsets mentions its tools and no other (G02, G04, G14). */
static void test_subsets(void **state)
{
    (void)state;
    size_t count;
    const struct tool_spec *const *builtin = toolset_builtin(&count);

    for (unsigned mask = 0; mask < 1u << count; mask++) {
        char list[200] = "";
        for (size_t i = 0; i < count; i++)
            if (mask & 1u << i)
                strcat(strcat(list, builtin[i]->name), ",");
        char *text = describe(list, &usual);
        for (size_t i = 0; i < count; i++)
            if (has_word(text, builtin[i]->name) != !!(mask & 1u << i))
                fail_msg("'%s' and %s: %s", list, builtin[i]->name, text);
        assert_int_equal(has_word(text, "hermes_tools"), mask != 0);
        free(text);
    }
}

/* B05: what a model is shown is what can be called. */
static void test_signatures(void **state)
{
    (void)state;
    size_t count;
    const struct tool_spec *const *builtin = toolset_builtin(&count);
    char *text = describe("all", &usual);

    for (size_t i = 0; i < count; i++) {
        struct buf line = BUF_INIT(0);
        assert_int_equal(pystub_append_short_signature(&line, builtin[i]), 0);
        char *signature = buf_steal_text(&line, NULL);
        assert_non_null(strstr(text, signature));
        assert_non_null(strstr(text, builtin[i]->result_doc));
        free(signature);
    }
    assert_false(has_word(text, "cross_profile")); /* hidden */
    for (const char *const *word =
             (const char *const[]){"from hermes_tools import", "print", "json_parse", "shell_quote",
                                   "retry", "aio", "await", "threads", NULL};
         *word; word++)
        assert_non_null(strstr(text, *word));
    free(text);
}

static void expect_limits(struct schema_limits limits, const char *sentence)
{
    char *text = describe("terminal", &limits);
    const char *start = strstr(text, "Limits: ");
    assert_non_null(start);
    assert_string_equal(start, sentence);
    free(text);
}

#define MIDDLE " bytes of output (of more, the middle is left out)."

static void test_limits(void **state)
{
    (void)state;
    expect_limits(usual, "Limits: 300 seconds, 50 tool calls, 50,000" MIDDLE);
    expect_limits((struct schema_limits){.timeout_ms = 1500, .output_bytes = 999, .tool_calls = 1},
                  "Limits: 1.5 seconds, 1 tool call, 999" MIDDLE);
    expect_limits((struct schema_limits){.output_bytes = 1234567},
                  "Limits: no time limit, any number of tool calls, 1,234,567" MIDDLE);
    expect_limits((struct schema_limits){.tool_calls = 10000},
                  "Limits: no time limit, 10,000 tool calls, unlimited output.");

    char *text = describe("none", &usual);
    assert_non_null(strstr(text, "No tools are enabled."));
    assert_non_null(strstr(text, "Limits: 300 seconds, 50,000"));
    free(text);
}

static const struct tool_spec roll = {.name = "roll-dice",
                                      .python_name = "roll_dice",
                                      .summary = "Roll.\n\nLong story.",
                                      .result_doc = "",
                                      .place = SPEC_BROKER,
                                      .flags = SPEC_RAISES | SPEC_OPEN};

static void test_embedder_tools(void **state)
{
    (void)state;
    struct toolset set = {0};
    toolset_add(&set, &roll);
    json_t *json = schema_execute_code(&set, &usual, SCHEMA_MCP);
    const char *text = json_string_value(json_object_get(json, "description"));
    assert_non_null(strstr(text, "- roll_dice(**kwargs: Any): Roll.\n"));
    assert_null(strstr(text, "Long story"));
    assert_non_null(strstr(text, "a failure raises hermes_tools.ToolError"));
    json_decref(json);

    toolset_add(&set, toolset_builtin_find("read_file"));
    json = schema_execute_code(&set, &usual, SCHEMA_MCP);
    text = json_string_value(json_object_get(json, "description"));
    assert_non_null(strstr(text, "ToolError in: roll_dice; in the others"));
    json_decref(json);
    toolset_deinit(&set);
}

static void test_parameters(void **state)
{
    (void)state;
    json_t *got = schema_tool_parameters(toolset_builtin_find("terminal"));
    json_t *properties = json_object_get(got, "properties");
    char *text = json_dumps(json_object_get(properties, "timeout"), JSON_COMPACT);

    assert_int_equal(json_object_size(properties), 4);
    assert_true(json_is_false(json_object_get(got, "additionalProperties")));
    assert_string_equal(text,
                        "{\"type\":[\"integer\",\"null\"],\"description\":\"Seconds until the "
                        "command is stopped, at most 600; None means 180.\",\"default\":null}");
    free(text);
    text = json_dumps(json_object_get(got, "required"), JSON_COMPACT);
    assert_string_equal(text, "[\"command\"]");
    free(text);
    json_decref(got);

    got = schema_tool_parameters(toolset_builtin_find("patch"));
    properties = json_object_get(got, "properties");
    assert_null(json_object_get(properties, "cross_profile"));
    text = json_dumps(json_object_get(json_object_get(properties, "mode"), "enum"), JSON_COMPACT);
    assert_string_equal(text, "[\"replace\",\"patch\"]");
    free(text);
    json_decref(got);

    got = schema_tool_parameters(&roll);
    assert_true(json_is_true(json_object_get(got, "additionalProperties")));
    json_decref(got);
}

static void make_once(const struct toolset *set, enum schema_format format)
{
    json_decref(schema_execute_code(set, &usual, format));
    json_decref(schema_tool_parameters(toolset_builtin_find("patch")));
    json_decref(schema_tool_parameters(toolset_builtin_find("web_extract")));
}

static void test_no_memory(void **state)
{
    (void)state;
    struct toolset set;
    assert_int_equal(toolset_select(&set, "all", NULL, NULL), 0);
    FAIL_EACH_ALLOC(make_once(&set, SCHEMA_OPENAI));
    FAIL_EACH_ALLOC(make_once(&set, SCHEMA_MCP));
    toolset_deinit(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),        cmocka_unit_test(test_subsets),
        cmocka_unit_test(test_signatures),     cmocka_unit_test(test_limits),
        cmocka_unit_test(test_embedder_tools), cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
