# SPDX-License-Identifier: MIT
"""G01, G02, G04, G05: the execute_code schema: its form, its tools, its limits."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402

NAMES = "web_search web_extract read_file write_file search_files patch terminal".split()


def schema(bench, *options):
    run = bench.run("schema", *options, json_result=False)
    run.need(run.exit_code == 0, "schema failed")
    return json.loads(run.stdout)


def described(definition):
    return [name for name in NAMES if f"{name}(" in json.dumps(definition)]


def check_forms(bench):
    openai = schema(bench)
    expect(openai == schema(bench, "--format", "openai"), "openai is not the default")
    function = openai.get("function", openai)
    expect(function["name"] == "execute_code", f"the name is {function['name']}")
    parameters = function["parameters"]
    expect(parameters["type"] == "object" and "code" in parameters["required"], str(parameters))
    expect(described(openai) == NAMES, f"only {described(openai)} are described")
    anthropic = schema(bench, "--format", "anthropic")
    expect("code" in anthropic["input_schema"]["required"], str(anthropic))
    mcp = schema(bench, "--format", "mcp")
    expect("code" in mcp["inputSchema"]["required"], str(mcp))


def check_selection(bench):
    some = schema(bench, "--tools", "terminal,read_file")
    expect(set(described(some)) == {"terminal", "read_file"}, f"{described(some)} are described")
    text = json.dumps(some)
    expect(not [n for n in NAMES if n in text and n not in ("terminal", "read_file")],
           "a disabled tool is mentioned")
    expect(described(schema(bench, "--tools", "none")) == [], "none describes tools")


def check_limits(bench):
    text = json.dumps(schema(bench, "--timeout", "77", "--max-output", "12345",
                             "--max-tool-calls", "43")).replace(",", "")
    for number in ("77", "12345", "43"):
        expect(number in text, f"the limit {number} is not promised")
    unlimited = json.dumps(schema(bench, "--max-tool-calls", "0"))
    expect("50 tool calls" not in unlimited, "the default limit is promised though there is none")


def check(bench):
    check_forms(bench)
    check_selection(bench)
    check_limits(bench)


main_of_check(check)
