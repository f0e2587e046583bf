# SPDX-License-Identifier: MIT
"""The script's signal table is python3's, whatever the host ignores or blocks, and so is that of a
program that the script starts."""
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402

# The C library's own two. Its posix_spawn leaves them ignored, and nothing but it can change that:
# a terminal command has them so, and maybe whoever runs this test.
OF_LIBC = 3 << 31
SCRIPT = """
import signal
import subprocess


def table(status):
    for line in status.splitlines():
        if line.startswith(("SigBlk", "SigIgn", "SigCgt")):
            print(line[:6], hex(int(line.split()[1], 16) & ~HIDDEN))


print([str(signal.getsignal(number)) for number in range(1, signal.NSIG)])
print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
table(open("/proc/self/status").read())
table(subprocess.run(["cat", "/proc/self/status"], capture_output=True, text=True).stdout)
"""
TERMINAL = """
from hermes_tools import terminal

print(terminal("sed -nE 's/^Sig(Blk|Ign)://p' /proc/self/status")["output"])
"""


def ignored_by_us():
    status = Path("/proc/self/status").read_text()
    return int(status.partition("SigIgn:")[2].split()[0], 16)


def be_a_plain_parent():
    for number in set(range(1, 32)) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def be_an_odd_parent():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGCHLD])


def run_under(bench, code, *options):
    began = time.monotonic()
    process = bench.start("--json", *options, "-c", code, preexec_fn=be_an_odd_parent)
    return bench.finish(process, began)


def check(bench):
    script = f"HIDDEN = {ignored_by_us() & OF_LIBC}\n{SCRIPT}"
    wanted = subprocess.run(["/usr/bin/python3.11", "-I", "-c", script], capture_output=True,
                            text=True, check=True, preexec_fn=be_a_plain_parent).stdout
    for option in ("--cold", "--cold=false"):
        run = run_under(bench, script, option)
        expect(run["output"] == wanted, f"{option}:\n{run['output']}\nnot\n{wanted}")
        run = run_under(bench, TERMINAL, option)
        blocked, ignored = (int(word, 16) for word in run["output"].split())
        expect(blocked == 0 and ignored & ~OF_LIBC == 0,
               f"{option}: a command has {blocked:x} blocked and {ignored:x} ignored")


main_of_check(check)
