# SPDX-License-Identifier: MIT
"""D05: a gigabyte of output passes, and the memory of the host stays flat."""
import threading
import time
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import main_of_check  # noqa: E402

SCRIPT = """
import os

block = b"x" * (1 << 20)
for _ in range(1024):
    view = memoryview(block)
    while view:
        view = view[os.write(1, view):]
"""
HOST_KIB_MAX = 64 * 1024


def watch_peak(pid, peak):
    while True:
        try:
            text = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return
        if "VmHWM" not in text:
            return
        peak[0] = max(peak[0], int(text.split("VmHWM:")[1].split()[0]))
        time.sleep(0.02)


def check(bench):
    bench.write("script.py", SCRIPT)
    began, peak = time.monotonic(), [0]
    process = bench.start("--json", "script.py")
    watcher = threading.Thread(target=watch_peak, args=(process.pid, peak))
    watcher.start()
    run = bench.finish(process, began, timeout=120)
    watcher.join()
    run.need(run["stdout_bytes_total"] == 1 << 30, "not all of the output was counted")
    run.need(run["stdout_bytes_omitted"] + run["stdout_bytes_captured"] == 1 << 30, "counts differ")
    run.need(0 < peak[0] < HOST_KIB_MAX, f"the host needed {peak[0]} KiB")


main_of_check(check)
