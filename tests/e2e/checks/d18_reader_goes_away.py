# SPDX-License-Identifier: MIT
"""A reader of live output that goes away stops the output, never leaves the run behind."""
import time
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import check_no_survivors, main_of_check, Run  # noqa: E402


def check(bench):
    bench.write("script.py", 'for i in range(200000):\n    print(i)\nopen("ended", "w").close()\n')
    began = time.monotonic()
    process = bench.start("script.py")
    process.stdout.readline()
    process.stdout.close()
    code = process.wait(30)
    run = Run(process.args, code, b"", process.stderr.read(), time.monotonic() - began)
    check_no_survivors(run)
    run.need(code >= 0, "a signal ended the host")


main_of_check(check)
