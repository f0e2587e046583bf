/* SPDX-License-Identifier: MIT
 *
 * Specs from JSON Schema: shapes of the wild become something that can be called, mistakes of an
 * embedder are named, and the way to JSON and back changes nothing.
 */
#include "fail_alloc.h"

#include "base/buf.h"
#include "base/err.h"
#include "spec/toolset.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct tool_spec *read_spec(const char *text)
{
    struct err err = ERR_INIT;
    json_t *json = json_parse(text, strlen(text), JSON_DEPTH_MAX, &err);
    struct tool_spec *spec = json ? spec_from_json(json, &err) : NULL;
    if (!spec)
        fail_msg("%s: %s", text, err.text);
    json_decref(json);
    return spec;
}

static void expect_error(const char *text, const char *message)
{
    struct err err = ERR_INIT;
    json_t *json = json_parse(text, strlen(text), JSON_DEPTH_MAX, &err);
    assert_non_null(json);
    assert_null(spec_from_json(json, &err));
    assert_string_equal(err.text, message);
    assert_int_equal(err.code, -EINVAL);
    json_decref(json);
}

static void test_minimal(void **state)
{
    (void)state;
    struct tool_spec *spec = read_spec("{\"name\": \"ping\"}");
    assert_string_equal(spec->name, "ping");
    assert_string_equal(spec->summary, "");
    assert_string_equal(spec->result_doc, "");
    assert_int_equal(spec->param_count, 0);
    assert_int_equal(spec->place, SPEC_BROKER);
    assert_int_equal(spec->flags, SPEC_RAISES);
    assert_null(spec_free(spec));
    assert_null(spec_free(NULL));
}

static const char issue[] =
    "{\"name\": \"create-issue\", \"description\": \"Make an issue.\\n\\nMore.\", \"parameters\": {"
    " \"type\": \"object\", \"properties\": {"
    "  \"labels\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"default\": []},"
    "  \"title\": {\"type\": \"string\", \"description\": \" The\\n  title. \"},"
    "  \"state\": {\"type\": [\"string\", \"null\"], \"enum\": [\"open\", \"closed\", null]},"
    "  \"weight\": {\"type\": \"number\", \"nullable\": true},"
    "  \"count\": {\"type\": \"integer\", \"default\": 3},"
    "  \"from\": {\"type\": \"boolean\"},"
    "  \"body\": {\"type\": \"object\", \"default\": null}},"
    " \"required\": [\"title\", \"count\"], \"additionalProperties\": false},"
    " \"result\": \"number\", \"place\": \"local\", \"flags\": [\"read_only\", \"needs_approval\", "
    "\"returns_errors\"]}";

static void test_full(void **state)
{
    (void)state;
    struct tool_spec *spec = read_spec(issue);
    static const char *const order[] = {"title",  "count", "labels", "state",
                                        "weight", "from",  "body"};

    assert_string_equal(spec_python_name(spec), "create_issue");
    assert_string_equal(spec->summary, "Make an issue.\n\nMore.");
    assert_string_equal(spec->result_doc, "number");
    assert_int_equal(spec->place, SPEC_LOCAL);
    assert_int_equal(spec->flags, SPEC_READ_ONLY | SPEC_NEEDS_APPROVAL);
    assert_int_equal(spec->param_count, 7);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(spec->params[i].name, order[i]);

    const struct spec_param *p = spec->params;
    assert_true(p[0].required && p[0].type == SPEC_STRING);
    assert_string_equal(p[0].doc, "The title.");
    assert_true(p[1].required && p[1].type == SPEC_INTEGER && !p[1].default_json);
    assert_string_equal(p[2].default_json, "[]");
    assert_true(p[3].nullable && p[3].type == SPEC_STRING && !p[3].required);
    assert_string_equal(p[3].choices[1], "closed");
    assert_null(p[3].choices[2]);
    assert_true(p[4].nullable && p[4].type == SPEC_NUMBER);
    assert_string_equal(spec_param_python_name(&p[5]), "from_");
    assert_int_equal(spec_find_python_param(spec, "from_"), 5);
    assert_int_equal(spec_find_param(spec, "from"), 5);
    assert_true(p[6].nullable);
    assert_string_equal(p[6].default_json, "null");
    spec_free(spec);
}

/* G10: what has no type of ours takes any value. */
static void test_shapes(void **state)
{
    (void)state;
    struct tool_spec *spec = read_spec(
        "{\"name\": \"t\", \"parameters\": {\"properties\": {"
        "\"a\": {\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"integer\"}]},"
        "\"b\": {\"$ref\": \"#/$defs/x\"}, \"c\": true, \"d\": {}, \"e\": 5,"
        "\"f\": {\"type\": [\"string\", \"integer\"]}, \"g\": {\"type\": \"date\"},"
        "\"h\": {\"enum\": [1, 2]}, \"i\": {\"enum\": [\"x\"]}, \"j\": {\"type\": \"null\"},"
        "\"k\": {\"enum\": [null]}, \"l\": {\"type\": \"integer\", \"enum\": [1]}}}}");
    for (size_t i = 0; i < spec->param_count; i++) {
        const struct spec_param *param = &spec->params[i];
        enum spec_type want = param->name[0] == 'i'   ? SPEC_STRING
                              : param->name[0] == 'l' ? SPEC_INTEGER
                                                      : SPEC_ANY;
        if (param->type != want)
            fail_msg("%s has type %d", param->name, (int)param->type);
    }
    assert_false(spec->flags & SPEC_OPEN);
    spec_free(spec);
}

static void expect_open(const char *parameters, bool open)
{
    char text[300];
    snprintf(text, sizeof(text), "{\"name\": \"t\", \"parameters\": %s}", parameters);
    struct tool_spec *spec = read_spec(text);
    assert_int_equal((spec->flags & SPEC_OPEN) != 0, open);
    spec_free(spec);
}

static void test_open(void **state)
{
    (void)state;
    expect_open("null", false);
    expect_open("{}", true);
    expect_open("{\"type\": \"object\"}", true);
    expect_open("{\"type\": \"object\", \"additionalProperties\": false}", false);
    expect_open("{\"type\": \"object\", \"properties\": {}}", false);
    expect_open("{\"properties\": {\"a\": {}}, \"additionalProperties\": true}", true);
    expect_open("{\"properties\": {\"a\": {}}, \"additionalProperties\": {\"type\": \"string\"}}",
                true);
    expect_open("{\"$ref\": \"#/x\"}", true);
    expect_open("{\"properties\": {\"a\": {}}, \"anyOf\": [{\"required\": [\"a\"]}]}", true);
}

static void test_python_names_are_unique(void **state)
{
    (void)state;
    struct tool_spec *spec = read_spec("{\"name\": \"t\", \"parameters\": {\"properties\": "
                                       "{\"a-b\": {}, \"a_b\": {}, \"a.b\": {}, "
                                       "\"a_b_\": {}}}}");
    for (size_t i = 0; i < spec->param_count; i++)
        assert_int_equal(spec_find_python_param(spec, spec_param_python_name(&spec->params[i])), i);
    assert_string_equal(spec_param_python_name(&spec->params[1]), "a_b_");
    spec_free(spec);

    /* A name that was made longer may meet one that came before. */
    spec =
        read_spec("{\"name\": \"t\", \"parameters\": {\"properties\": {\"a_b_\": {}, \"a-b\": {}, "
                  "\"a.b\": {}}}}");
    assert_string_equal(spec_param_python_name(&spec->params[1]), "a_b");
    assert_string_equal(spec_param_python_name(&spec->params[2]), "a_b__");
    spec_free(spec);
}

static void test_errors(void **state)
{
    (void)state;
    expect_error("[]", "a tool must be described by a JSON object");
    expect_error("{}", "a tool needs a name");
    expect_error("{\"name\": 5}", "a tool needs a name");
    expect_error("{\"name\": \"\"}", "a tool name must have 1 to 128 bytes");
    expect_error("{\"name\": \"a\\u0000b\"}", "a tool name must have 1 to 128 bytes");
    expect_error("{\"name\": \"a\\nb\"}", "a tool name must not hold control characters");
    expect_error("{\"name\": \"a\", \"paramters\": {}}",
                 "unknown key 'paramters'; did you mean 'parameters'?");
    expect_error("{\"name\": \"a\", \"xyz\": {}}", "unknown key 'xyz'");
    expect_error("{\"name\": \"a\", \"description\": []}", "description must be a string");
    expect_error("{\"name\": \"a\", \"parameters\": []}",
                 "tool 'a': parameters must be a JSON Schema object");
    expect_error("{\"name\": \"a\", \"parameters\": {\"properties\": []}}",
                 "tool 'a': parameters.properties must be an object");
    expect_error("{\"name\": \"a\", \"parameters\": {\"properties\": {\"\": {}}}}",
                 "tool 'a': a parameter name must have 1 to 128 bytes");
    expect_error("{\"name\": \"a\", \"flags\": \"read_only\"}",
                 "tool 'a': flags must be an array of names");
    expect_error("{\"name\": \"a\", \"flags\": [\"readonly\"]}",
                 "tool 'a': unknown flag 'readonly'; did you mean 'read_only'?");
    expect_error("{\"name\": \"a\", \"flags\": [1]}", "tool 'a': unknown flag '(no text)'");
    expect_error("{\"name\": \"a\", \"place\": \"moon\"}",
                 "tool 'a': place must be \"local\" or \"broker\"");
}

static void test_flags_twice(void **state)
{
    (void)state;
    struct tool_spec *spec =
        read_spec("{\"name\": \"a\", \"flags\": [\"returns_errors\", \"returns_errors\"]}");
    assert_int_equal(spec->flags, 0);
    spec_free(spec);
}

static void test_too_many(void **state)
{
    (void)state;
    json_t *properties = json_object();
    for (int i = 0; i < 257; i++) {
        char name[16];
        snprintf(name, sizeof(name), "p%d", i);
        json_object_set_new(properties, name, json_object());
    }
    json_t *json = json_pack("{s:s, s:{s:o}}", "name", "a", "parameters", "properties", properties);
    struct err err = ERR_INIT;
    assert_null(spec_from_json(json, &err));
    assert_string_equal(err.text, "tool 'a': a tool may have at most 256 parameters");
    json_object_del(properties, "p0");
    struct tool_spec *spec = spec_from_json(json, &err);
    assert_non_null(spec);
    spec_free(spec);
    json_decref(json);
}

static void round_trip(const struct tool_spec *spec)
{
    struct err err = ERR_INIT;
    json_t *json = spec_to_json(spec);
    struct tool_spec *copy = spec_from_json(json, &err);

    if (!copy)
        fail_msg("%s: %s", spec->name, err.text);
    json_t *again = spec_to_json(copy);
    assert_true(json_equal(json, again));
    assert_int_equal(copy->flags, spec->flags);
    assert_int_equal(copy->place, spec->place);
    assert_int_equal(copy->param_count, spec->param_count);
    for (size_t i = 0; i < spec->param_count; i++) {
        const struct spec_param *a = &spec->params[i], *b = &copy->params[i];
        assert_string_equal(a->name, b->name);
        assert_string_equal(spec_param_python_name(a), spec_param_python_name(b));
        assert_string_equal(spec_python_type(a), spec_python_type(b));
        assert_int_equal(a->required, b->required);
        assert_int_equal(a->hidden, b->hidden);
    }
    json_decref(again);
    json_decref(json);
    spec_free(copy);
}

static void test_round_trip(void **state)
{
    (void)state;
    size_t count;
    const struct tool_spec *const *builtin = toolset_builtin(&count);
    for (size_t i = 0; i < count; i++)
        round_trip(builtin[i]);

    struct tool_spec *spec = read_spec(issue);
    round_trip(spec);
    spec_free(spec);
    spec = read_spec("{\"name\": \"t\", \"parameters\": {\"type\": \"object\"}}");
    round_trip(spec);
    spec_free(spec);
}

static void make_once(const json_t *json)
{
    struct err err = ERR_INIT;
    struct tool_spec *spec = spec_from_json(json, &err);
    if (!spec) {
        assert_int_equal(err.code, -ENOMEM);
        return;
    }
    json_decref(spec_to_json(spec));
    spec_free(spec);
}

static void test_no_memory(void **state)
{
    (void)state;
    json_t *json = json_parse(issue, strlen(issue), JSON_DEPTH_MAX, NULL);
    FAIL_EACH_ALLOC(make_once(json));
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimal),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_python_names_are_unique),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_flags_twice),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
