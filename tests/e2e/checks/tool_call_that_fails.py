# SPDX-License-Identifier: MIT
"""ptc-host tool: a call that no handler answers ends with an error as well, and with nothing worse."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402

CALLS = {
    ("terminal", '{"command": "kill -9 $PPID"}'): "died during terminal",
    ("web_search", '{"query": "x"}'): "not built yet",
    ("read_file", '{"pth": "x"}'): "did you mean 'path'?",
}


def check(bench):
    for call, words in CALLS.items():
        run = bench.run("tool", *call, json_result=False)
        run.need(run.exit_code == 1, f"the exit code of {call} is {run.exit_code}")
        answer = json.loads(run.stdout)
        expect(words in answer.get("error", ""), f"{call}: {answer}")


main_of_check(check)
