# SPDX-License-Identifier: MIT
"""The README is true: its first run works as shown, its options and commands exist."""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402

ROOT = next(folder for folder in Path(__file__).resolve().parents
            if (folder / "README.md").exists())
LICENSES = "/usr/share/common-licenses"
OWN = {"--json", "--format", "--no-install-recommends"}


def check_first_run(bench):
    script = ROOT / "examples/scripts/digest.py"
    run = bench.run(script, LICENSES)
    run.need(run["status"] == "success", "the first run of the README failed")
    run.need("text files below " + LICENSES in run["output"], "no digest was printed")
    texts = int(run["output"].split()[0])
    run.need(run["tool_calls_made"] >= texts + 2, "less calls than files")
    run.need(len(run["output"]) < 1000, "that is no digest")
    table = (bench.workspace / "digest.md").read_text()
    run.need(table.count("\n") == texts + 2, "digest.md has not one row for each file")


def check_options(bench):
    helped = bench.run("--help", json_result=False).stdout.decode()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for option in sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", readme)) - OWN):
        expect(option in helped, f"the README has {option}, ptc-host --help has not")
    for command in re.findall(r"^    ptc-host ([a-z]+) ", readme, re.M):
        run = bench.run("help", command, json_result=False)
        expect(run.exit_code == 0, f"the README has the command {command}, ptc-host has not")


def check(bench):
    check_first_run(bench)
    check_options(bench)


main_of_check(check)
