# SPDX-License-Identifier: MIT
"""The client in examples/rpc_client.mjs runs three scripts at once that call its tool."""
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check, skip  # noqa: E402

ROOT = next(folder for folder in Path(__file__).resolve().parents
            if (folder / "README.md").exists())
WANTED = ("success 30\nsuccess 45\n"
          "error hermes_tools.ToolError: Error: no price for melon\n")


def check(bench):
    node = shutil.which("node")
    if not node:
        skip("there is no node on this machine; the client in examples/rpc_client.mjs is untried")
    done = subprocess.run([node, ROOT / "examples/rpc_client.mjs", bench.ptc_host],
                          cwd=bench.workspace, env=bench.environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, timeout=60)
    expect(done.returncode == 0, f"exit code {done.returncode}")
    expect(done.stdout.decode() == WANTED, f"it has printed {done.stdout!r}")


main_of_check(check)
