# SPDX-License-Identifier: MIT
"""A25: a script of five megabytes of comments runs."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import main_of_check  # noqa: E402


def check(bench):
    run = bench.code("# a comment line that says nothing at all\n" * 125000 + 'print("end")\n')
    run.need(run["status"] == "success" and run["output"] == "end\n", "the script did not run")


main_of_check(check)
