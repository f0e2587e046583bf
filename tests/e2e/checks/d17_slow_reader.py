# SPDX-License-Identifier: MIT
"""D17: large live output to a reader that is slow: no deadlock, nothing lost."""
import os
import time
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import check_no_survivors, expect, main_of_check, Run  # noqa: E402

LINES = 40000


def check(bench):
    bench.write("script.py", f'for i in range({LINES}):\n    print(i, "x" * 60)\n')
    began = time.monotonic()
    process = bench.start("script.py")
    data = b""
    while True:
        part = os.read(process.stdout.fileno(), 65536)
        if not part:
            break
        data += part
        time.sleep(0.01)
    run = Run(process.args, process.wait(30), data[-500:], process.stderr.read(),
              time.monotonic() - began)
    check_no_survivors(run)
    run.need(run.exit_code == 0, "the run failed")
    expect(data == b"".join(b"%d %s\n" % (i, b"x" * 60) for i in range(LINES)),
           f"{len(data)} bytes came, not the whole output")


main_of_check(check)
