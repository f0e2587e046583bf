# SPDX-License-Identifier: MIT
"""The client in examples/rpc_client.py runs a script that calls its tool."""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402

ROOT = next(folder for folder in Path(__file__).resolve().parents
            if (folder / "README.md").exists())
WANTED = "together: 75\nrefused: KeyError: 'melon'\nstatus: success calls: 3\n"


def check(bench):
    done = subprocess.run([sys.executable, "-B", ROOT / "examples/rpc_client.py", bench.ptc_host],
                          cwd=bench.workspace, env=bench.environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, timeout=60)
    expect(done.returncode == 0, f"exit code {done.returncode}")
    expect(done.stdout.decode() == WANTED, f"it has printed {done.stdout!r}")


main_of_check(check)
