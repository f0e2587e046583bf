#!/usr/bin/python3.11
# SPDX-License-Identifier: MIT
"""run_case.py --bin DIR CASE_FOLDER: one end-to-end case, a folder with

    script.py     the script (or "code" in expect.json)
    expect.json   how it is run and what must come out; the keys are in docs/testing.md
    files/        copied into the fresh workspace first (optional)

"helpers" in expect.json names files of tests/e2e/helpers/ that are copied beside the script.

Exits 0 when everything holds; else prints what did not, with the whole result.
"""
import argparse
import json
import os
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from harness import Bench, Failure, expect  # noqa: E402

HOW = {"about", "code", "as_code", "as_stdin", "options", "args", "stdin", "env", "timeout", "raw",
       "helpers"}
WHAT = {"exit_code", "status", "output", "stderr", "error", "hint", "json", "min", "max", "absent",
        "disk", "stdout", "host_stderr"}
TEXT = {"equals", "contains", "not_contains", "regex", "length", "bytes"}


def load_case(folder):
    case = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
    unknown = set(case) - HOW - WHAT
    expect(not unknown, f"{folder.name}/expect.json: unknown keys {sorted(unknown)}")
    expect("about" in case, f"{folder.name}/expect.json: says not what it is about")
    return case


def run_case(bench, folder, case, more_options):
    files = folder / "files"
    if files.is_dir():
        shutil.copytree(files, bench.workspace, dirs_exist_ok=True, symlinks=True)
    for helper in case.get("helpers", []):
        shutil.copy(HERE / "helpers" / helper, bench.workspace)
    code = case.get("code")
    if code is None:
        code = (folder / "script.py").read_bytes().decode("utf-8")
    stdin = case.get("stdin")
    if case.get("as_code"):
        script = ["-c", code]
    elif case.get("as_stdin"):
        script, stdin = ["-"], code
    else:
        bench.write("script.py", code)
        script = ["script.py"]
    fill = filler(bench)
    options = [*more_options, *map(fill, case.get("options", []))]
    return bench.run(*options, *script, *map(fill, case.get("args", [])), stdin=stdin,
                     env={k: fill(v) for k, v in case.get("env", {}).items()},
                     timeout=case.get("timeout", 30), json_result=not case.get("raw"))


def filler(bench):
    def fill(text):
        text = text.replace("${WORKSPACE}", str(bench.workspace))
        return text.replace("${HOME}", str(bench.home))
    return fill


def look_up(value, path):
    """'tool_calls.0.tool' in nested objects and arrays; KeyError when it is not there."""
    for step in path.split("."):
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (IndexError, TypeError, ValueError):
            raise KeyError(path) from None
    return value


def as_list(value):
    return value if isinstance(value, list) else [value]


def check_text(name, text, wanted):
    """Yields what is wrong. wanted: the exact text, or an object of conditions."""
    if wanted is None or isinstance(wanted, str):
        if text != wanted:
            yield f"{name} is {shorten(text)}, not {shorten(wanted)}"
        return
    if set(wanted) - TEXT:
        yield f"{name}: unknown conditions {sorted(set(wanted) - TEXT)}"
    if not isinstance(text, str):
        yield f"{name} is {text!r}, not text"
        return
    if "equals" in wanted and text != wanted["equals"]:
        yield f"{name} is {shorten(text)}, not {shorten(wanted['equals'])}"
    if "length" in wanted and len(text) != wanted["length"]:
        yield f"{name} has {len(text)} characters, not {wanted['length']}"
    if "bytes" in wanted and len(text.encode()) != wanted["bytes"]:
        yield f"{name} has {len(text.encode())} bytes, not {wanted['bytes']}"
    for part in as_list(wanted.get("contains", [])):
        if part not in text:
            yield f"{name} does not contain {part!r}"
    for part in as_list(wanted.get("not_contains", [])):
        if part in text:
            yield f"{name} contains {part!r}"
    for pattern in as_list(wanted.get("regex", [])):
        if not re.search(pattern, text, re.M):
            yield f"{name} does not match {pattern!r}"


def shorten(text):
    shown = repr(text)
    return shown if len(shown) < 300 else f"{shown[:140]} [...] {shown[-140:]}"


def check_numbers(result, case):
    for limit, holds in (("min", lambda a, b: a >= b), ("max", lambda a, b: a <= b)):
        for path, bound in case.get(limit, {}).items():
            try:
                value = look_up(result, path)
            except KeyError:
                yield f"{path} is not there"
                continue
            if not isinstance(value, (int, float)) or not holds(value, bound):
                yield f"{path} is {value!r}, the {limit} is {bound}"


def check_json(result, case):
    for path, wanted in case.get("json", {}).items():
        try:
            value = look_up(result, path)
        except KeyError:
            yield f"{path} is not there (expected {wanted!r})"
            continue
        if value != wanted or type(value) is not type(wanted):
            yield f"{path} is {value!r}, not {wanted!r}"
    for path in case.get("absent", []):
        try:
            yield f"{path} is there: {look_up(result, path)!r}"
        except KeyError:
            pass


def check_disk(bench, case):
    fill = filler(bench)
    for name, wanted in case.get("disk", {}).items():
        path = bench.workspace / fill(name)
        if wanted is None:
            if os.path.lexists(path):
                yield f"file {name} exists"
        elif not path.is_file():
            yield f"file {name} does not exist"
        else:
            text = path.read_bytes().decode("utf-8", "replace")
            yield from check_text(f"file {name}", text, wanted)


def check_case(bench, run, case):
    problems = []
    wanted_exit = case.get("exit_code", 0)
    if wanted_exit is not None and run.exit_code != wanted_exit:
        problems.append(f"the exit code is {run.exit_code}, not {wanted_exit}")
    for key, stream in (("stdout", run.stdout), ("host_stderr", run.stderr)):
        if key in case:
            problems += check_text(key, stream.decode("utf-8", "replace"), case[key])
    if not case.get("raw"):
        result = run.result
        if result["status"] != case.get("status", "success"):
            wanted = case.get("status", "success")
            problems.append(f"status is {result['status']!r}, not {wanted!r}")
        for key in ("output", "stderr", "error", "hint"):
            if key in case:
                problems += check_text(key, result.get(key), case[key])
        problems += check_json(result, case)
        problems += check_numbers(result, case)
    problems += check_disk(bench, case)
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, help="the folder with ptc-host and ptc-child")
    parser.add_argument("--with", dest="more_options", action="append", default=[],
                        metavar="OPTION", help="an option of ptc-host to add, as --with=--cold")
    parser.add_argument("case", type=Path)
    arguments = parser.parse_args()
    folder = arguments.case.resolve()
    with Bench(arguments.bin) as bench:
        try:
            case = load_case(folder)
            run = run_case(bench, folder, case, arguments.more_options)
            problems = check_case(bench, run, case)
        except Failure as failure:
            print(f"{folder.name}: FAILED: {failure}")
            return 1
        if problems:
            print(f"{folder.name} ({case['about']}): FAILED:")
            print("\n".join(f"  - {problem}" for problem in problems))
            print(run.describe())
            return 1
    print(f"{folder.name}: fine")
    return 0


sys.exit(main())
