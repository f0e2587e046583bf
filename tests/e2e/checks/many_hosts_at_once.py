# SPDX-License-Identifier: MIT
"""Twelve hosts at the same time: each has its own answers, output and limits."""
import json
import subprocess
import time
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Run, check_no_survivors, expect, main_of_check  # noqa: E402

SCRIPT = """
import sys

from hermes_tools import terminal

print(sys.argv[1], terminal("sleep 0.1; echo " + sys.argv[1])["output"].strip())
"""


def check(bench):
    bench.write("script.py", SCRIPT)
    began = time.monotonic()
    processes = [bench.start("--json", "script.py", str(i), stderr=subprocess.DEVNULL)
                 for i in range(12)]
    for i, process in enumerate(processes):
        stdout, _ = process.communicate(timeout=60)
        result = json.loads(stdout)
        expect(result["output"] == f"{i} {i}\n", f"run {i}: {result}")
    check_no_survivors(Run([], 0, b"", b"", time.monotonic() - began))


main_of_check(check)
