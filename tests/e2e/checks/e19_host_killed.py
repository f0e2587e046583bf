# SPDX-License-Identifier: MIT
"""E19: the host is killed with SIGKILL: everything below it dies at once."""
import signal
import time
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import (descendants_of, expect, main_of_check, name_of, is_alive,  # noqa: E402
                     wait_until)

SCRIPT = """
import os
import signal
import time

from hermes_tools import terminal

for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        pass
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        while True:
            time.sleep(100)
terminal("(setsid sleep 400 &) ; setsid sleep 401 >/dev/null 2>&1 & echo ok")
open("ready", "w").close()
while True:
    time.sleep(100)
"""


def kill_host(bench, *options):
    (bench.workspace / "ready").unlink(missing_ok=True)
    bench.write("script.py", SCRIPT)
    process = bench.start("--json", *options, "script.py")
    expect(wait_until((bench.workspace / "ready").exists, 20),
           f"{options}: the script did not come to its point: "
           f"{process.poll()} {descendants_of(process.pid)}")
    below = descendants_of(process.pid)
    expect(len(below) >= 4, f"{options}: only {len(below)} processes below the host")
    process.send_signal(signal.SIGKILL)
    process.wait()
    dead = wait_until(lambda: not any(is_alive(pid) for pid in below), 2)
    left = [f"{pid} ({name_of(pid)})" for pid in below if is_alive(pid)]
    expect(dead, f"{options}: still alive after the host's death: {', '.join(left)}")


def check(bench):
    kill_host(bench)
    kill_host(bench, "--cold")
    began = time.monotonic()
    kill_host(bench, "--timeout", "0")
    expect(time.monotonic() - began < 25, "it took too long")


main_of_check(check)
