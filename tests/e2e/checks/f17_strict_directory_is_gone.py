# SPDX-License-Identifier: MIT
"""F17, F25: a strict run's directory is its own and gone after it; a chdir lasts for one run."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402

SCRIPT = 'import os\nopen("made", "w").close()\nprint(os.getcwd())\nos.chdir("/")\n'


def check(bench):
    for _ in range(2):
        run = bench.code(SCRIPT, "--profile", "strict")
        run.need(run["status"] == "success", "the script failed")
        cwd = run["output"].strip()
        run.need(cwd != str(bench.workspace), "strict ran in the workspace")
        # Its /tmp is private, so the same name outside must be free of what it made.
        expect(not os.path.exists(os.path.join(cwd, "made")), f"{cwd} is still there")
    for _ in range(2):
        run = bench.code(SCRIPT)
        run.need(run["output"].strip() == str(bench.workspace), "not in the workspace")


main_of_check(check)
