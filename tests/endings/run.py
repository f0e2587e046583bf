# SPDX-License-Identifier: MIT
"""Does a run leave what python3 leaves?  run.py PYTHON SCRIPT_RUNNER CASE_DIRECTORY

Runs CASE/script.py under python3 and under script_runner (as a file; as a file with preloaded
modules, which are frozen and shared; as text with them), each in a fresh directory, and compares
the files on disk (names and bytes), stdout, the exit status and stderr (addresses and the
directory's name left out).
CASE/differs.json names a deliberate difference with its reason.
"""
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PRELOAD = (
    "argparse,array,ast,asyncio,base64,bisect,bz2,calendar,codecs,collections,concurrent.futures,"
    "contextlib,contextvars,copy,csv,dataclasses,datetime,decimal,difflib,enum,fnmatch,fractions,"
    "functools,glob,gzip,hashlib,heapq,inspect,io,itertools,json,linecache,logging,"
    "logging.handlers,lzma,math,multiprocessing,multiprocessing.pool,operator,os,pathlib,pickle,"
    "random,re,shelve,shlex,shutil,signal,sqlite3,statistics,string,struct,subprocess,tarfile,"
    "tempfile,textwrap,threading,time,traceback,types,typing,unicodedata,uuid,warnings,weakref,"
    "zipfile,zlib"
)
# What python3 has that matters here: isolated, no site, no .pyc files, UTF-8 mode.
REFERENCE = ["-I", "-S", "-B", "-X", "utf8"]
MODES = {
    "file": [],
    "file, preloaded": ["--preload", PRELOAD],
    "text, preloaded": ["--text", "--preload", PRELOAD],
}
# Python's arenas come from mmap, where the leak sanitizer does not look for pointers.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "ASAN_OPTIONS": "detect_leaks=0"}


def content_of(path):
    with open(path, "rb") as file:
        return file.read()


def tree_of(folder):
    found = {}
    for base, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(base, name)
            found[os.path.relpath(path, folder)] = None if name in folders else content_of(path)
    found.pop("script.py", None)  # the script may have removed itself
    return found


def run(command, case):
    with tempfile.TemporaryDirectory(prefix="ending") as folder:
        shutil.copy(os.path.join(case, "script.py"), folder)
        done = subprocess.run(
            [*command, os.path.join(folder, "script.py")],
            cwd=folder,
            env={**ENVIRONMENT, "TMPDIR": folder},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=50,
        )
        status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        stderr = done.stderr.replace(folder.encode(), b"DIR")
        stderr = re.sub(rb"0x[0-9a-f]+|(?<=object refcount : )\d+", b"0x", stderr)
        return {
            "files": tree_of(folder),
            "stdout": done.stdout.replace(folder.encode(), b"DIR"),
            "status": status,
            "stderr": stderr.decode("utf-8", "replace").splitlines(),
        }


def apply_differences(expected, case):
    """What python3 left, changed where differs.json says that we mean to differ."""
    path = os.path.join(case, "differs.json")
    differs = json.loads(content_of(path)) if os.path.exists(path) else {}
    for name, text in differs.get("files", {}).items():
        expected["files"][name] = text.encode()
    for key in ("status", "stderr"):
        if key in differs:
            expected[key] = differs[key]
    if "stdout" in differs:
        expected["stdout"] = differs["stdout"].encode()
    return differs


def without_content(result, patterns):
    for name in result["files"]:
        if any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            result["files"][name] = b"(not compared)"


def main():
    python, runner, case = sys.argv[1:]
    expected = run([python, *REFERENCE], case)
    differs = apply_differences(expected, case)
    without_content(expected, differs.get("names_only", []))
    failures = 0
    for mode, options in MODES.items():
        found = run([runner, *options], case)
        without_content(found, differs.get("names_only", []))
        for key in expected:
            if found[key] != expected[key]:
                failures += 1
                print(f"{mode}: {key} differs\n  python3: {expected[key]}\n  ours:    {found[key]}")
    return 1 if failures else 0


sys.exit(main())
