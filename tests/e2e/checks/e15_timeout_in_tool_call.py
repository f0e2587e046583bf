# SPDX-License-Identifier: MIT
"""A run's deadline also ends the tool call that is under way, with everything it started."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import main_of_check  # noqa: E402

SCRIPT = """
from hermes_tools import terminal

print("kept")
terminal("setsid sleep 301 & sleep 300")
"""


def check(bench):
    run = bench.code(SCRIPT, "--timeout", "1")
    run.need(run["status"] == "timeout" and run.exit_code == 124, "wrong status")
    run.need(run["output"].startswith("kept\n"), "the text was lost")
    run.need(run.seconds < 2.5, "it took too long")
    call = run["tool_calls"][0]
    run.need(not call["ok"] and call["ms"] > 500, "the log does not say how long the call ran")
    run.need(run["usage"]["tool_seconds"] > 0.5, "the time in tools is missing")


main_of_check(check)
