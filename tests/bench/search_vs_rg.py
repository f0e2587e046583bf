# SPDX-License-Identifier: MIT
"""search_files beside ripgrep, in one run, turn by turn: medians of wall time and of processor time.

    ptc-host --profile trusted --timeout 0 --max-tool-calls 0 tests/bench/search_vs_rg.py [ROUNDS [FOLDER...]]

Not a test: it needs ripgrep and a quiet machine. Both sides run inside the same sandbox. The tool's
side is its whole round trip: script, host, tools process, result as Python objects, up to 1000 rows.
ripgrep's is `rg -j2 -n`, whose output goes into a pipe that is read (to /dev/null it would stop at the
first match of each file), without the start of the Python that called it. Both give the same number
of lines, or the row says so. On a machine where other things run, processor time is the honest
figure: the kernel's for the tools process is read from /proc, where that can be seen.
"""
import os
import statistics
import subprocess
import sys
import time

from hermes_tools import search_files

PATTERNS = [
    ("literal", "EINVAL"),
    ("literal, many", "return"),
    ("literal, none", "zqzqzqzq"),
    ("word", r"\bstruct_[a-z]+"),
    ("call", r"\w+_init\("),
    ("alternatives", r"pthread_mutex|memmove|strcasecmp"),
    ("class", r"[A-Z]{4}_[0-9]+x"),
    ("any case", r"(?i)invalid argument"),
    ("numbers", r"\d+\.\d+\.\d+"),
]
FOLDERS = ["/usr/include", "/usr/share", "/usr/lib/python3", "/usr/lib/python3.11"]


def tools_process():
    """The pid of the tools process of this run, as seen from here; None: it cannot be seen."""
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and open(f"/proc/{entry}/comm").read() == "ptc-tools\n":
                return entry
        except OSError:
            pass
    return None


def cpu_of(pid):
    if pid is None:
        return 0.0
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ours(pattern, folder):
    start = time.perf_counter()
    result = search_files(pattern, path=folder, limit=1000)
    took = time.perf_counter() - start
    if "error" in result:
        sys.exit(result["error"])
    return took, result["total_count"]


def theirs(pattern, folder):
    before = os.times()
    start = time.perf_counter()
    done = subprocess.run(["rg", "-j2", "-n", "--no-messages", pattern, folder],
                          stdout=subprocess.PIPE, check=False)
    took = time.perf_counter() - start
    after = os.times()
    cpu = (after.children_user - before.children_user) + \
          (after.children_system - before.children_system)
    return took, done.stdout.count(b"\n"), cpu


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    folders = sys.argv[2:] or [f for f in FOLDERS if os.path.isdir(f)]
    ours("x", folders[0])
    pid = tools_process()
    print(f"{'folder':<20} {'pattern':<16} {'ours ms':>8} {'rg ms':>8} {'ratio':>6} "
          f"{'cpu':>7} {'rg cpu':>7} {'ratio':>6}  lines")
    ratios = []
    for folder in folders:
        for name, pattern in PATTERNS:
            a, b, cpu_b = [], [], []
            before = cpu_of(pid)
            for turn in range(rounds):
                for side in (0, 1) if turn % 2 else (1, 0):
                    if side == 0:
                        took, count = ours(pattern, folder)
                        a.append(took)
                    else:
                        took, lines, cpu = theirs(pattern, folder)
                        b.append(took)
                        cpu_b.append(cpu)
            cpu_a = (cpu_of(pid) - before) / rounds
            wall = statistics.median(a) / statistics.median(b)
            ratios.append(wall)
            print(f"{folder:<20} {name:<16} {statistics.median(a) * 1e3:8.1f} "
                  f"{statistics.median(b) * 1e3:8.1f} {wall:6.2f} {cpu_a * 1e3:7.1f} "
                  f"{statistics.mean(cpu_b) * 1e3:7.1f} {cpu_a / max(statistics.mean(cpu_b), 1e-9):6.2f}"
                  f"  {count}{'' if count == lines else f' (rg {lines})'}", flush=True)
    print(f"median ratio of all {len(ratios)}: {statistics.median(ratios):.2f}, worst {max(ratios):.2f}")


main()
