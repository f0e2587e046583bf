# SPDX-License-Identifier: MIT
"""What end-to-end tests share: a fresh workspace and home, one run of ptc-host, and the things that
must hold after every run whatever it did (valid result, honest duration, no process left).

Standard library only. Used by run_case.py (cases as data) and by the programs in checks/.
"""
import argparse
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RESULT_KEYS_FIRST = ["status", "output", "tool_calls_made", "duration_seconds"]
STATUSES = {"success", "error", "timeout", "interrupted", "blocked", "protocol_error",
            "protocol_stalled",
            "sandbox_unavailable"}
SKIPPED = 77
PR_SET_CHILD_SUBREAPER = 36


class Failure(AssertionError):
    """A test that did not hold; the message is for people."""


def expect(condition, message):
    if not condition:
        raise Failure(message)


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(SKIPPED)


def adopt_orphans():
    """Processes that lose their parent below us become our children, so none can hide from us."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children_of(pid):
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] not in "ZX":
            found.append(int(entry))
    return found


def descendants_of(pid):
    found, todo = [], [pid]
    while todo:
        for child in children_of(todo.pop()):
            found.append(child)
            todo.append(child)
    return found


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "gone"


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition, seconds, step=0.01):
    """True as soon as condition() is; False when it never was."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(step)
    return bool(condition())


def reap_orphans():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] > 0:
            pass
    except ChildProcessError:
        pass


class Run:
    """The outcome of one ptc-host process."""

    def __init__(self, argv, exit_code, stdout, stderr, seconds):
        self.argv = argv
        self.exit_code = exit_code
        self.stdout = stdout
        self.stderr = stderr
        self.seconds = seconds
        self.result = None

    def __getitem__(self, key):
        expect(key in (self.result or {}), f"the result has no key {key!r}\n{self.describe()}")
        return self.result[key]

    def get(self, key, default=None):
        return (self.result or {}).get(key, default)

    def describe(self):
        def cut(text):
            return text if len(text) < 6000 else text[:3000] + "\n[...]\n" + text[-3000:]

        shown = cut(json.dumps(self.result, indent=2, ensure_ascii=False)) if self.result else \
            cut(self.stdout.decode("utf-8", "replace"))
        return (f"--- command\n{' '.join(self.argv)[:600]}\n--- exit code {self.exit_code}, "
                f"{self.seconds:.2f} s\n--- {'result' if self.result else 'stdout'}\n{shown}\n"
                f"--- stderr of ptc-host\n{cut(self.stderr.decode('utf-8', 'replace'))}")

    def need(self, condition, message):
        expect(condition, f"{message}\n{self.describe()}")


class Bench:
    """A workspace, a home, and the programs under test. Use as a context manager."""

    def __init__(self, bin_dir):
        self.bin = Path(bin_dir).resolve()
        self.ptc_host = self.bin / "ptc-host"
        self.base = Path(tempfile.mkdtemp(prefix="ptc-e2e-"))
        self.workspace = self.base / "workspace"
        self.home = self.base / "home"
        self.workspace.mkdir()
        self.home.mkdir()

    def __enter__(self):
        adopt_orphans()
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.base, ignore_errors=True)

    def write(self, name, content):
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def environment(self, extra=None):
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home),
                       "LANG": "C.UTF-8", **(extra or {})}
        # The tests themselves may run from a copied or sanitized tree.
        for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                environment.setdefault(name, os.environ[name])
        return environment

    def start(self, *arguments, env=None, stdin=subprocess.DEVNULL, cwd=None, **popen):
        """ptc-host as a running process, for tests that do something to it."""
        popen.setdefault("stdout", subprocess.PIPE)
        popen.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen([str(self.ptc_host), *map(str, arguments)], stdin=stdin,
                                cwd=cwd or self.workspace, env=self.environment(env), **popen)

    def finish(self, process, began, stdin=None, timeout=30, json_result=True):
        """Waits for a process of start() and checks what must hold after every run."""
        try:
            stdout, stderr = process.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            run = Run(process.args, process.returncode, stdout or b"", stderr or b"",
                      time.monotonic() - began)
            raise Failure(f"still running after {timeout} s\n{run.describe()}") from None
        run = Run(process.args, process.returncode, stdout or b"", stderr or b"",
                  time.monotonic() - began)
        if json_result:
            check_result(run)
        check_no_survivors(run)
        return run

    def run(self, *arguments, stdin=None, timeout=30, json_result=True, env=None, cwd=None,
            **popen):
        """One `ptc-host --json ARGUMENTS` to its end."""
        began = time.monotonic()
        popen["stdin"] = subprocess.DEVNULL if stdin is None else subprocess.PIPE
        process = self.start(*(["--json"] if json_result else []), *arguments, env=env, cwd=cwd,
                             **popen)
        data = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
        return self.finish(process, began, data, timeout, json_result)

    def code(self, code, *options, **keywords):
        """A script given as text, run from a file in the workspace."""
        self.write("script.py", code)
        return self.run(*options, "script.py", **keywords)


def check_result(run):
    """Rules for every result object, whatever happened."""
    try:
        text = run.stdout.decode("utf-8", "strict")
        run.result = json.loads(text, object_pairs_hook=unique_keys)
    except ValueError as error:
        raise Failure(f"stdout is not one JSON value: {error}\n{run.describe()}") from None
    result = run.result
    run.need(isinstance(result, dict), "the result is not an object")
    run.need(list(result)[:4] == RESULT_KEYS_FIRST,
             f"the first keys are {list(result)[:4]}, not {RESULT_KEYS_FIRST}")
    run.need(result["status"] in STATUSES, f"unknown status {result['status']!r}")
    run.need(isinstance(result["output"], str), "output is not text")
    run.need(type(result["tool_calls_made"]) is int, "tool_calls_made is not an integer")
    run.need(isinstance(result["duration_seconds"], (int, float)), "duration_seconds is no number")
    run.need(0 <= result["duration_seconds"] <= run.seconds + 0.02,
             f"duration_seconds {result['duration_seconds']}, the process took {run.seconds:.3f}")
    run.need(("error" in result) == (result["status"] != "success"),
             "`error` must be there exactly when the status is not success")
    text = json.dumps(result, ensure_ascii=False)
    run.need(not any(0xD800 <= ord(c) <= 0xDFFF for c in text), "a lone surrogate in the result")


def unique_keys(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f"duplicate keys {keys}")
    return dict(pairs)


def check_no_survivors(run):
    """Nothing that the run started is left: the tree dies with its host, at once."""
    def gone():
        reap_orphans()
        return not children_of(os.getpid())

    if wait_until(gone, 2):
        return
    left = [f"{pid} ({name_of(pid)})" for pid in descendants_of(os.getpid())]
    for pid in descendants_of(os.getpid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    raise Failure(f"processes left after the run: {', '.join(left)}\n{run.describe()}")


def main_of_check(check):
    """The main program of a file in checks/: check(bench) raises Failure when it does not hold."""
    parser = argparse.ArgumentParser(description=check.__doc__)
    parser.add_argument("--bin", required=True, help="the folder with ptc-host and ptc-child")
    arguments = parser.parse_args()
    with Bench(arguments.bin) as bench:
        try:
            check(bench)
        except Failure as failure:
            print(f"FAILED: {failure}")
            sys.exit(1)
    print("fine")
