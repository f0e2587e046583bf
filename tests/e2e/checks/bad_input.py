# SPDX-License-Identifier: MIT
"""Wrong input of every kind: a clear message, exit code 64, a result with --json, no crash."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import main_of_check  # noqa: E402


def refused(bench, *arguments, saying, cwd=None, stdin=None, env=None):
    """Both forms: plain (a line on stderr, nothing on stdout) and --json (a result)."""
    plain = bench.run(*arguments, json_result=False, cwd=cwd, stdin=stdin, env=env)
    plain.need(plain.exit_code == 64, f"exit code {plain.exit_code}, not 64")
    plain.need(plain.stdout == b"", "something on stdout")
    result = bench.run(*arguments, cwd=cwd, stdin=stdin, env=env)
    result.need(result.exit_code == 64 and result["status"] == "error", "not refused")
    for text in (plain.stderr.decode("utf-8", "replace"), result["error"]):
        plain.need(all(part in text for part in saying), f"{text!r} does not say {saying}")


def check(bench):
    bench.write("script.py", "print(1)\n")
    bench.write("secret.py", "print(1)\n").chmod(0)
    (bench.workspace / "folder").mkdir()
    bench.write("bad.json", "[1, 2")
    bench.write("types.json", '{"run": {"timeout": [1]}}')
    refused(bench, "nowhere.py", saying=["nowhere.py"])
    refused(bench, "folder", saying=["folder", "directory"])
    refused(bench, "script.py/x", saying=["script.py/x"])
    refused(bench, "-c", "  ", saying=["code"])
    refused(bench, "-", stdin="", saying=["code"])
    refused(bench, "--memory", "-5", "script.py", saying=["--memory", "-5"])
    refused(bench, "--profile", "lax", "script.py", saying=["profile", "lax", "strict"])
    refused(bench, "--config", "bad.json", "script.py", saying=["bad.json"])
    refused(bench, "--config", "types.json", "script.py", saying=["timeout"])
    refused(bench, "--config", "folder", "script.py", saying=["folder"])
    refused(bench, "--workspace", "nowhere", "script.py", saying=["nowhere"])
    refused(bench, "--env", "=x", "script.py", saying=["env"])
    if os.geteuid() != 0:
        refused(bench, "secret.py", saying=["secret.py", "denied"])
    check_default_workspace(bench)
    check_odd_bytes(bench)


def check_default_workspace(bench):
    script = bench.workspace / "script.py"
    for cwd in (bench.home, bench.base, "/"):
        refused(bench, script, cwd=cwd, saying=["--workspace"])
    run = bench.run("--workspace", bench.home, script, cwd=bench.home)
    run.need(run["status"] == "success", "an explicit workspace is the caller's word")


def check_odd_bytes(bench):
    """Arguments and names that are no UTF-8 arrive as python3 gives them, or are refused."""
    script = bench.write("argv.py", "import os, sys\nprint(os.fsencode(sys.argv[1]))\n")
    run = bench.run(script.name, os.fsdecode(b"x\xff\xfey"))
    run.need(run["output"] == "b'x\\xff\\xfey'\n" or run.exit_code == 64, "the bytes were changed")
    odd = os.fsdecode(b"odd\xff.py")
    bench.write(odd, "print('ran')\n")
    run = bench.run(odd)
    run.need(run.get("output") == "ran\n" or run.exit_code == 64, "an odd name is run or refused")
    bad = bench.write("latin1.py", b"print('\xe9')\n")
    run = bench.run(bad.name)
    run.need(run["status"] == "error" and "SyntaxError" in run["error"], "bytes that are no UTF-8")


main_of_check(check)
