/* SPDX-License-Identifier: MIT
 *
 * Python text from specs. The real interpreter judges whether it is Python, and whether what it
 * reads out of the stub is what the specs say.
 */
#include "fail_alloc.h"

#include "base/buf.h"
#include "base/err.h"
#include "spec/pystub.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_text(struct buf *buf, const char *text)
{
    assert_int_equal(buf->length, strlen(text));
    assert_memory_equal(buf->data, text, buf->length);
    buf_deinit(buf);
}

static void expect_signature(const struct tool_spec *spec, const char *text)
{
    struct buf buf = BUF_INIT(0);
    assert_int_equal(pystub_append_signature(&buf, spec), 0);
    expect_text(&buf, text);
}

static const struct spec_param odd_params[] = {
    {.name = "from", .python_name = "from_", .required = true, .doc = "Where \"it\" \\ begins."},
    {.name = "n", .type = SPEC_NUMBER, .doc = ""},
    {.name = "any", .type = SPEC_ANY, .default_json = "{\"a\": [true]}", .doc = ""},
    {.name = "secret", .default_json = "\"\"", .hidden = true, .doc = "Hidden."},
};
static const struct tool_spec odd = {
    .name = "odd-tool",
    .python_name = "odd_tool",
    .summary = "Says \"\"\"hello\"\"\".\n\n\tMore \x01 \\N{x}\"",
    .params = odd_params,
    .param_count = 4,
    .result_doc = "",
    .flags = SPEC_RAISES | SPEC_OPEN,
};

static void test_signatures(void **state)
{
    (void)state;
    expect_signature(
        toolset_builtin_find("terminal"),
        "terminal(command: str, timeout: Optional[int] = None, workdir: Optional[str] = "
        "None, merge_stderr: bool = True) -> dict");
    expect_signature(toolset_builtin_find("write_file"),
                     "write_file(path: str, content: str, cross_profile: bool = False) -> dict");
    expect_signature(&odd,
                     "odd_tool(from_: str, n: Optional[float] = None, any: Any = {'a': [True]}, "
                     "secret: str = '', **kwargs: Any) -> dict");
    expect_signature(&(struct tool_spec){.name = "none"}, "none() -> dict");
    expect_signature(&(struct tool_spec){.name = "open", .flags = SPEC_OPEN},
                     "open(**kwargs: Any) -> dict");

    struct buf buf = BUF_INIT(0);
    assert_int_equal(pystub_append_short_signature(&buf, toolset_builtin_find("write_file")), 0);
    expect_text(&buf, "write_file(path: str, content: str)");
    static const char *const choices[] = {"a", "b", NULL};
    const struct spec_param param = {.name = "p", .nullable = true, .choices = choices};
    const struct tool_spec chooser = {.name = "t", .params = &param, .param_count = 1};
    assert_int_equal(pystub_append_short_signature(&buf, &chooser), 0);
    expect_text(&buf, "t(p: 'a'|'b'|None = None)");
}

static void test_doc(void **state)
{
    (void)state;
    struct buf buf = BUF_INIT(0);
    assert_int_equal(pystub_append_doc(&buf, toolset_builtin_find("web_search")), 0);
    expect_text(&buf, "Search the web.\n\nArgs:\n    query: What to search for.\n"
                      "    limit: Results to return, 1 to 100.\n\nReturns:\n"
                      "    A dict with success, data {web: [{title, url, description, position}]}. "
                      "After a failure: error (str).");
    assert_int_equal(
        pystub_append_doc(
            &buf, &(struct tool_spec){.summary = "S.", .result_doc = "", .flags = SPEC_RAISES}),
        0);
    expect_text(&buf, "S.\n\nReturns:\n    A dict.\n\nRaises:\n"
                      "    ToolError: when the tool answers with an error.");
}

/* Feeds text to a Python program; returns its exit status. */
static int python_run(const char *program, const struct buf *input)
{
    char command[4096];
    snprintf(command, sizeof(command), "%s -I -S -W error -c \"%s\"", TEST_PYTHON, program);
    FILE *pipe = popen(command, "w");
    assert_non_null(pipe);
    assert_int_equal(fwrite(input->data, 1, input->length, pipe), input->length);
    return pclose(pipe);
}

/* G07: every one of the 128 subsets compiles, has its tools twice (plain and in aio) and no others,
 * and always the helpers. One interpreter for all: texts are separated by NUL. */
static void test_subsets_compile(void **state)
{
    (void)state;
    static const char program[] =
        "import ast, sys\n"
        "texts = sys.stdin.buffer.read().decode().split('\\0')[:-1]\n"
        "assert len(texts) == 128, len(texts)\n"
        "helpers = ['json_parse', 'shell_quote', 'retry', 'tools', 'search_tools', 'describe']\n"
        "for text in texts:\n"
        "    want, stub = text.split('|', 1)\n"
        "    want = want.split()\n"
        "    tree = ast.parse(stub)\n"
        "    compile(tree, 'stub', 'exec')\n"
        "    names = [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]\n"
        "    assert names == helpers + want, names\n"
        "    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}\n"
        "    aio = [n.name for n in classes['aio'].body if isinstance(n, ast.AsyncFunctionDef)]\n"
        "    assert aio == want, aio\n"
        "    assert 'ToolError' in classes\n"
        "    space = {}\n"
        "    exec(compile(stub, 'stub', 'exec'), space)\n"
        "    assert all(name in space for name in space['__all__'])\n"
        "    assert set(want) <= set(space['__all__'])\n";
    size_t count;
    const struct tool_spec *const *builtin = toolset_builtin(&count);
    struct buf all = BUF_INIT(0);

    for (unsigned mask = 0; mask < 1u << count; mask++) {
        struct toolset set = {0};
        for (size_t i = 0; i < count; i++) {
            if (!(mask & 1u << i))
                continue;
            assert_int_equal(toolset_add(&set, builtin[i]), 0);
            assert_int_equal(buf_append_format(&all, "%s ", builtin[i]->name), 0);
        }
        assert_int_equal(buf_append_text(&all, "|"), 0);
        assert_int_equal(pystub_append_module(&all, &set), 0);
        assert_int_equal(buf_append(&all, "", 1), 0);
        toolset_deinit(&set);
    }
    assert_int_equal(python_run(program, &all), 0);
    buf_deinit(&all);
}

/* Names and texts that try to break out of the stub's syntax. */
static void test_odd_tool(void **state)
{
    (void)state;
    static const char program[] =
        "import inspect, sys\n"
        "space = {}\n"
        "exec(compile(sys.stdin.read(), 'stub', 'exec'), space)\n"
        "tool = space['odd_tool']\n"
        "quote = chr(34) * 3\n"
        "first, _, rest = tool.__doc__.partition('\\n')\n"
        "assert first == 'Says ' + quote + 'hello' + quote + '.', first\n"
        "assert chr(1) in rest and chr(92) + 'N{x}' in rest, rest\n"
        "signature = inspect.signature(tool)\n"
        "assert list(signature.parameters) == ['from_', 'n', 'any', 'secret', 'kwargs']\n"
        "assert signature.parameters['any'].default == {'a': [True]}\n"
        "assert inspect.iscoroutinefunction(space['aio'].odd_tool)\n";
    struct toolset set = {0};
    struct buf text = BUF_INIT(0);

    assert_int_equal(toolset_add(&set, &odd), 0);
    assert_int_equal(pystub_append_module(&text, &set), 0);
    assert_int_equal(python_run(program, &text), 0);
    buf_deinit(&text);
    toolset_deinit(&set);
}

/* G08: eighty tools of an MCP server stay below 100 KB. */
static void test_many_tools(void **state)
{
    (void)state;
    struct toolset set = {0};
    struct buf text = BUF_INIT(0);
    struct tool_spec *specs[80];

    for (int i = 0; i < 80; i++) {
        struct err err = ERR_INIT;
        char name[32];
        snprintf(name, sizeof(name), "server-tool-%d", i);
        json_t *json =
            json_pack("{s:s, s:s, s:{s:{s:{s:s, s:s}, s:{s:s, s:i}}, s:[s]}}", "name", name,
                      "description", "Does one of the many things that the server can do for you.",
                      "parameters", "properties", "query", "type", "string", "description",
                      "What to look for, as a text of some words.", "limit", "type", "integer",
                      "default", 10, "required", "query");
        specs[i] = spec_from_json(json, &err);
        json_decref(json);
        assert_non_null(specs[i]);
        assert_int_equal(toolset_add(&set, specs[i]), 0);
    }
    assert_int_equal(pystub_append_module(&text, &set), 0);
    assert_true(text.length < 100000);
    buf_deinit(&text);
    toolset_deinit(&set);
    for (int i = 0; i < 80; i++)
        spec_free(specs[i]);
}

static void make_once(const struct toolset *set)
{
    struct buf text = BUF_INIT(0);
    int r = pystub_append_module(&text, set);
    assert_true(r == 0 || r == -ENOMEM);
    buf_deinit(&text);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct toolset set;
    assert_int_equal(toolset_select(&set, "all", NULL, NULL), 0);
    FAIL_EACH_ALLOC(make_once(&set));
    toolset_deinit(&set);

    struct buf small = BUF_INIT(50); /* a caller's limit is reported, not passed */
    set = (struct toolset){0};
    assert_int_equal(pystub_append_module(&small, &set), -EMSGSIZE);
    buf_deinit(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signatures),      cmocka_unit_test(test_doc),
        cmocka_unit_test(test_subsets_compile), cmocka_unit_test(test_odd_tool),
        cmocka_unit_test(test_many_tools),      cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
