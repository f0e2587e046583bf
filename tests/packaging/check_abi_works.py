#!/usr/bin/python3.11
# SPDX-License-Identifier: MIT
""".ci/check-abi itself: what it lets pass and what it stops, on libraries of empty functions that are
made from the public header and from changed copies of it."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HEADER = (ROOT / "host/include/ptc_host.h").read_text(encoding="utf-8")

# what is done to the header -> (text, its replacement, does it pass)
CHANGES = {
    "nothing": ("", "", True),
    "a function more": ("PTC_API const char *ptc_version(void);",
                        "PTC_API const char *ptc_version(void);\nPTC_API int ptc_new(int x);", True),
    "a member more at the end": ("const char *tool_args_json;\n",
                                 "const char *tool_args_json;\n    int more;\n    int most;\n", True),
    "a constant more": ("PTC_ASK = 2", "PTC_ASK = 2, PTC_MAYBE = 3", True),
    "a function less": ("PTC_API int ptc_host_fd(const ptc_host *host);", "", False),
    "another parameter": ("ptc_run_cancel(ptc_run_handle *run, const char *reason)",
                          "ptc_run_cancel(ptc_run_handle *run, int reason)", False),
    "another return type": ("PTC_API uint64_t ptc_result_tool_calls",
                            "PTC_API uint16_t ptc_result_tool_calls", False),
    "a parameter of a callback": ("typedef void (*ptc_log_fn)(void *user, int level,",
                                  "typedef void (*ptc_log_fn)(void *user, long level,", False),
    "a member in the middle": ("    int workspace_fd;", "    long new;\n    int workspace_fd;", False),
    "a member of another type": ("    int workspace_fd;", "    long workspace_fd;", False),
    "members swapped": ("    const char *code;        /* the script as UTF-8 text; or NULL and ... */\n"
                        "    size_t code_length;      /* 0: strlen(code) */\n",
                        "    size_t code_length;\n    const char *code;\n", False),
    "grown at the end and swapped before": (
        "    uint64_t call; /* number of the call */\n    uint64_t duration_us;\n"
        "    const char *tool;\n    const char *data; /* not NUL-terminated: see length. Borrowed for "
        "the time of the callback */\n    size_t length;\n",
        "    uint64_t duration_us;\n    uint64_t call;\n    const char *tool;\n    const char *data;\n"
        "    size_t length;\n    size_t more;\n", False),
    "another value": ("PTC_E_STATE = -6", "PTC_E_STATE = -7", False),
    "a constant less": ("PTC_LOG_INFO = 2, ", "", False),
}


def library_make(folder, header):
    """A library in which every function of the header exists and does nothing."""
    folder.mkdir()
    (folder / "ptc_host.h").write_text(header, encoding="utf-8")
    bodies = []
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    for prototype in re.findall(r"^PTC_API ([^;{]*\([^;]*\));", text, re.M):
        returns = "" if re.match(r"void ptc_", prototype) else "return 0; "
        bodies.append(f"{prototype} {{ {returns}}}\n")
    (folder / "all.c").write_text('#include "ptc_host.h"\n' + "".join(bodies), encoding="utf-8")
    library = folder / "libptchost.so"
    subprocess.run(["cc", "-w", "-g", "-shared", "-fPIC", "-Wl,-soname,libptchost.so.0", "-o",
                    str(library), str(folder / "all.c")], check=True)
    return library


def check(folder, base, *more):
    command = [sys.executable, "-B", str(ROOT / ".ci/check-abi"), "--library",
               str(folder / "libptchost.so"), "--header", str(folder / "ptc_host.h"), "--baseline",
               str(base / "abi"), "--constants", str(base / "constants"), *more]
    return subprocess.run(command, capture_output=True, text=True)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        base = Path(scratch, "base")
        library_make(base, HEADER)
        made = check(base, base, "--update")
        if made.returncode:
            print(made.stdout + made.stderr)
            return made.returncode
        for number, (name, (old, new, passes)) in enumerate(CHANGES.items()):
            if old not in HEADER:
                print(f"{name}: the header no longer has: {old}")
                failed += 1
                continue
            folder = Path(scratch, str(number))
            library_make(folder, HEADER.replace(old, new, 1) if old else HEADER)
            run = check(folder, base)
            if (run.returncode == 0) != passes:
                print(f"{name}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
                failed += 1
    print(f"{len(CHANGES) - failed} of {len(CHANGES)} changes are judged as they should be")
    return 1 if failed else 0


sys.exit(main())
