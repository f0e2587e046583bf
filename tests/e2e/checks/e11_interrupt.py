# SPDX-License-Identifier: MIT
"""E11, E13: an interrupt ends the run at once, keeps the text, and claims no message of a user."""
import signal
import time
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import main_of_check, wait_until  # noqa: E402

SCRIPTS = {
    "sleeping": "import time\ntime.sleep(999)\n",
    "busy": "while True:\n    pass\n",
    "deaf": "import signal, time\nfor n in (2, 15, 1):\n    signal.signal(n, signal.SIG_IGN)\n"
            "open('ready', 'w').close()\nwhile True:\n    time.sleep(9)\n",
}


def interrupt(bench, code, number):
    bench.write("script.py", 'print("kept")\nopen("ready", "w").close()\n' + code)
    (bench.workspace / "ready").unlink(missing_ok=True)
    began = time.monotonic()
    process = bench.start("--json", "script.py")
    wait_until((bench.workspace / "ready").exists, 10)
    time.sleep(0.3)
    sent = time.monotonic()
    process.send_signal(number)
    run = bench.finish(process, began)
    return run, time.monotonic() - sent


def check(bench):
    for what, code in SCRIPTS.items():
        for number in (signal.SIGINT, signal.SIGTERM):
            run, seconds = interrupt(bench, code, number)
            about = f"{what}, signal {number}"
            run.need(run["status"] == "interrupted", f"{about}: wrong status")
            run.need(run.exit_code == 130, f"{about}: wrong exit code")
            run.need(run["output"].startswith("kept\n"), f"{about}: the text was lost")
            run.need(seconds < 1.5, f"{about}: took {seconds:.2f} s")
            claims = (run["output"] + run["error"]).lower()
            run.need("user" not in claims and "message" not in claims,
                     f"{about}: claims to know who interrupted")


main_of_check(check)
