# SPDX-License-Identifier: MIT
"""A31: when the child program cannot do its part, the result says so and nothing ran."""
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Bench, main_of_check  # noqa: E402

BROKEN = {
    "missing": None,
    "not executable": (b"", 0o644),
    "no program": (b"\x7fELF nonsense", 0o755),
    "exits at once": (b"#!/bin/sh\nexit 3\n", 0o755),
    "says nonsense": (b"#!/bin/sh\necho hello\nprintf x >&3\nexec sleep 0.2\n", 0o755),
}


def broken_copy(bench, content):
    """A tree like bin/ and lib/ of the build, with another ptc-child."""
    tree = Path(bench.base) / "broken"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(bench.bin, tree / "bin", ignore=shutil.ignore_patterns("ptc-child"))
    library = bench.bin.parent / "lib"
    if library.is_dir():
        shutil.copytree(library, tree / "lib", symlinks=True, ignore=shutil.ignore_patterns("*.a"))
    if content is not None:
        (tree / "bin/ptc-child").write_bytes(content[0])
        (tree / "bin/ptc-child").chmod(content[1])
    return tree


def check_broken(bench, what, content, *options):
    tree = broken_copy(bench, content)
    with Bench(tree / "bin") as broken:
        run = broken.code('open("made", "w")\nprint("ran")\n', *options,
                          env={"LD_LIBRARY_PATH": str(tree / "lib")})
        run.need(run["status"] == "sandbox_unavailable", f"child {what}: wrong status")
        run.need(run.exit_code == 78, f"child {what}: wrong exit code")
        run.need(run["output"] == "" and not os.path.exists(broken.workspace / "made"),
                 f"child {what}: something of the script ran")
        run.need("tool" in run["error"], f"child {what}: the error does not name normal tools")


def check(bench):
    for what, content in BROKEN.items():
        check_broken(bench, what, content)
        check_broken(bench, what, content, "--cold")


main_of_check(check)
