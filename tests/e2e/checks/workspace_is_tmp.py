# SPDX-License-Identifier: MIT
"""A workspace that is /tmp, or lies where a run's private home would be: both stay the user's own,
the home goes elsewhere, and nothing is left."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import main_of_check  # noqa: E402

SCRIPT = """import os, tempfile
print(os.getcwd())
home = os.environ["HOME"]
assert os.access(home, os.W_OK), home
assert os.path.realpath(home) != os.getcwd()
tempfile.NamedTemporaryFile(delete=False).write(b"x")
open(os.path.join(home, "made"), "w").close()
"""


def check(bench):
    script = bench.write("script.py", SCRIPT)
    before = os.path.lexists("/tmp/home")
    for options in ([], [], ["--no-namespaces"]):
        run = bench.run(*options, "--workspace", "/tmp", script)
        run.need(run["status"] == "success" and run["output"] == "/tmp\n", "not in /tmp")
        run.need(os.path.lexists("/tmp/home") == before, "/tmp/home was left in the user's /tmp")
    if before:  # somebody else's
        return
    os.mkdir("/tmp/home")
    try:
        run = bench.run("--workspace", "/tmp/home", script)
        run.need(run["output"] == "/tmp/home\n", "not in /tmp/home")
        run.need(os.listdir("/tmp/home") == [], "something was left in /tmp/home")
    finally:
        os.rmdir("/tmp/home")


main_of_check(check)
