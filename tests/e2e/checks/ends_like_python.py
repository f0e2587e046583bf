# SPDX-License-Identifier: MIT
"""Scripts that end in odd ways leave the same files, output and exit code as under python3.

Each script of ends/ runs once under the system's python3 and once under ptc-host, each in a
workspace of its own; then the two folders are compared byte by byte.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Bench, expect, main_of_check  # noqa: E402

PYTHON = "/usr/bin/python3.11"
ENDS = Path(__file__).resolve().parent.parent / "ends"


def files_below(folder):
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name != "script.py":
            found[name] = path.read_bytes() if path.is_file() else None
    return found


def run_python(bench, script):
    folder = bench.base / "python"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(script, folder / "script.py")
    # -u: a run's stdout is line buffered, so that what was printed is kept whatever happens next.
    done = subprocess.run([PYTHON, "-X", "utf8", "-B", "-u", "script.py"], cwd=folder, timeout=30,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(bench.home)})
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return code, done.stdout, done.stderr, files_below(folder)


def run_ours(script, bin_dir):
    with Bench(bin_dir) as bench:
        shutil.copy(script, bench.workspace / "script.py")
        run = bench.run("script.py", json_result=False)
        return run.exit_code, run.stdout, run.stderr, files_below(bench.workspace)


def compare(bench, script):
    theirs, ours = run_python(bench, script), run_ours(script, bench.bin)
    problems = []
    for what, a, b in zip(("exit code", "stdout"), theirs, ours):
        if a != b:
            problems.append(f"{script.name}: {what} is {b!r}, under python3 {a!r}")
    for name in sorted(set(theirs[3]) | set(ours[3])):
        a, b = theirs[3].get(name, "no such file"), ours[3].get(name, "no such file")
        if a != b:
            problems.append(f"{script.name}: file {name} is {b!r:.200}, under python3 {a!r:.200}")
    if problems:
        problems.append(ours[2].decode("utf-8", "replace")[-1500:])
    return problems


def check(bench):
    os.umask(0o022)
    scripts = sorted(ENDS.glob("*.py"))
    expect(len(scripts) >= 20, f"only {len(scripts)} scripts in {ENDS}")
    problems = [problem for script in scripts for problem in compare(bench, script)]
    expect(not problems, "\n".join(problems))


main_of_check(check)
