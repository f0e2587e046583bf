# SPDX-License-Identifier: MIT
"""F31, F32: what the host knows (environment, config, options) is not in the script's memory."""
import json
import secrets
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import main_of_check  # noqa: E402

# The markers come to the script backwards, and memory is searched backwards, so that the search
# itself never makes a copy of one.
SCRIPT = """
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.getenv(b"HOST_MARKER")
wanted = [marker.encode() for marker in sys.argv[1:]]


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def read_memory(at, length):
    data = ctypes.create_string_buffer(length)
    here, there = Part(ctypes.addressof(data), length), Part(at, length)
    got = libc.process_vm_readv(os.getpid(), ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return data.raw[:max(got, 0)]


found, bytes_read = [], 0
with open("/proc/self/maps") as maps:
    for line in maps.read().splitlines():
        span, rights = line.split()[:2]
        if "r" not in rights or line.endswith(("[vvar]", "[vsyscall]")):
            continue
        start, end = (int(part, 16) for part in span.split("-"))
        for at in range(start, end, 1 << 20):
            data = read_memory(at, min(end - at, (1 << 20) + 64))[::-1]
            bytes_read += len(data)
            found += [(hex(at), line) for marker in wanted if marker in data]
print(bytes_read > 4 << 20, found)
for name in ("environ", "cmdline", "auxv"):
    try:
        data = open(f"/proc/self/{name}", "rb").read()[::-1]
    except PermissionError:
        data = b""
    print(name, any(marker in data for marker in wanted))
"""


def check(bench):
    markers = [secrets.token_hex(16) for _ in range(3)]
    hidden = bench.base / f"config-{markers[1]}.json"
    hidden.write_text(json.dumps({"run": {"timeout": 60}}))
    backwards = [marker[::-1] for marker in markers]
    for options in ((), ("--cold",)):
        run = run_with(bench, hidden, markers, options, backwards)
        run.need(run["output"] == "True []\nenviron False\ncmdline False\nauxv False\n",
                 "something of the host is in the script's memory")


def run_with(bench, config, markers, options, backwards):
    bench.write("script.py", SCRIPT)
    return bench.run("--config", config, "--log-file", bench.base / markers[2], *options,
                     "script.py", *backwards, env={"HOST_MARKER": markers[0]}, timeout=60)


main_of_check(check)
