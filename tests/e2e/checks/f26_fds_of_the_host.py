# SPDX-License-Identifier: MIT
"""F26: file descriptors that the host's parent left open do not reach the script or a tool."""
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import main_of_check  # noqa: E402

SCRIPT = """
import os

from hermes_tools import terminal

print([name for name in os.listdir("/proc/self/fd") if int(name) > 2 and "leaked" in
       os.path.realpath(f"/proc/self/fd/{name}")])
print("leaked" in terminal("ls -l /proc/self/fd; ls -l /proc/$$/fd")["output"])
"""


def check(bench):
    leaked = os.open(bench.base / "leaked", os.O_RDWR | os.O_CREAT)
    high = 200
    os.dup2(leaked, high)
    for options in ((), ("--cold",)):
        run = bench.code(SCRIPT, *options, pass_fds=(leaked, high))
        run.need(run["output"] == "[]\nFalse\n", "a descriptor got through")


main_of_check(check)
