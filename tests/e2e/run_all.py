#!/usr/bin/python3.11
# SPDX-License-Identifier: MIT
"""run_all.py --bin DIR [-j N] [PATTERN]: all cases and checks without CMake, for a copied tree."""
import argparse
import fnmatch
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
SECONDS_MAX = 180


def commands(bin_dir, pattern):
    python = [sys.executable, "-B"]
    for folder in sorted((HERE / "cases").iterdir()):
        if (folder / "expect.json").is_file() and fnmatch.fnmatch(folder.name, pattern):
            yield folder.name, [*python, str(HERE / "run_case.py"), "--bin", bin_dir, str(folder)]
    for check in sorted((HERE / "checks").glob("*.py")):
        if fnmatch.fnmatch(check.stem, pattern):
            yield check.stem, [*python, str(check), "--bin", bin_dir]


def run(named_command):
    name, command = named_command
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return name, 1, f"{name}: no end after {SECONDS_MAX} s\n"
    return name, done.returncode, done.stdout.decode("utf-8", "replace")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("pattern", nargs="?", default="*")
    arguments = parser.parse_args()
    failed, skipped, count = [], [], 0
    with ThreadPoolExecutor(arguments.j) as pool:
        for name, code, text in pool.map(run, commands(arguments.bin, arguments.pattern)):
            count += 1
            if code == SKIPPED:
                skipped.append(name)
                print(f"{name}: {text}", end="")
            elif code != 0:
                failed.append(name)
                print(text, end="")
    print(f"{count} run, {len(failed)} failed, {len(skipped)} skipped")
    if failed:
        print("failed: " + " ".join(failed))
    return 1 if failed or count == 0 else 0


sys.exit(main())
