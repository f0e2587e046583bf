# SPDX-License-Identifier: MIT
"""G07: the stub of each subset compiles and has the subset, the helpers and no other function."""
import ast
import itertools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402

NAMES = "web_search web_extract read_file write_file search_files patch terminal".split()
HELPERS = {"json_parse", "shell_quote", "retry"}


def functions_of(bench, tools):
    run = bench.run("stubs", "--tools", tools, json_result=False)
    run.need(run.exit_code == 0, f"stubs --tools {tools} failed")
    tree = ast.parse(run.stdout.decode())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def check(bench):
    subsets = [[], NAMES, *[[name] for name in NAMES], *map(list, itertools.combinations(NAMES, 2))]
    for subset in subsets:
        functions = functions_of(bench, ",".join(subset) or "none")
        expect(HELPERS <= functions, f"{subset}: helpers are missing: {functions}")
        expect(functions & set(NAMES) == set(subset), f"{subset}: {functions}")


main_of_check(check)
