# SPDX-License-Identifier: MIT
"""B05: schema, stub file and the functions in a script, helpers too, describe the same parameters."""
import ast
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402

NAMES = "web_search web_extract read_file write_file search_files patch terminal".split()
HELPERS = "json_parse shell_quote retry tools search_tools describe".split()
SCRIPT = f"""
import inspect
import json

import hermes_tools

print(json.dumps({{name: [[p.name, None if p.default is p.empty else p.default]
                        for p in inspect.signature(getattr(hermes_tools, name)).parameters.values()]
                 for name in {NAMES + HELPERS!r}}}))
"""


def functions_of_stub(text):
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            args = node.args.args  # not what stands before a "/": all may be given by name
            defaults = [None] * (len(args) - len(node.args.defaults)) + \
                [ast.literal_eval(default) for default in node.args.defaults]
            found[node.name] = [list(pair) for pair in zip((a.arg for a in args), defaults)]
    return found


def check(bench):
    run = bench.code(SCRIPT)
    run.need(run["status"] == "success", "the script failed")
    in_script = json.loads(run["output"])
    in_stub = functions_of_stub(bench.run("stubs", json_result=False).stdout.decode())
    schema = bench.run("schema", json_result=False).stdout.decode()
    for name in NAMES + HELPERS:
        expect(in_script[name] == in_stub.get(name),
               f"{name}: in a script {in_script[name]}, in the stub file {in_stub.get(name)}")
    for name in NAMES:
        expect(f"{name}(" in schema, f"{name} is not described in the schema")


main_of_check(check)
