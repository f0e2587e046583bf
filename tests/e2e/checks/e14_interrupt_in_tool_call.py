# SPDX-License-Identifier: MIT
"""E14: an interrupt during a tool call: the call is given up, the result is interrupted."""
import signal
import time
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import main_of_check, wait_until  # noqa: E402

SCRIPT = """
from hermes_tools import terminal

print("kept")
terminal("touch ready; sleep 300")
"""


def check(bench):
    bench.write("script.py", SCRIPT)
    began = time.monotonic()
    process = bench.start("--json", "script.py")
    wait_until((bench.workspace / "ready").exists, 10)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    run = bench.finish(process, began)
    run.need(run["status"] == "interrupted", "wrong status")
    run.need(run["output"].startswith("kept\n"), "the text was lost")
    run.need(run["tool_calls_made"] == 1, "the call was not counted")
    run.need(time.monotonic() - sent < 1.5, "it took too long")


main_of_check(check)
