# SPDX-License-Identifier: MIT
"""Signals while the main thread waits for an answer."""
import os
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
from support import equal, raises

from hermes_tools import host, terminal

# C10: a handler calls a tool in the middle of a call.
seen = []


def on_alarm(*_):
    seen.append(terminal("from handler")["args"]["command"])


signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
equal(host("sleep", n=400, value="main")["args"]["value"], "main")
signal.setitimer(signal.ITIMER_REAL, 0)
assert len(seen) >= 1 and set(seen) == {"from handler"}, seen

# Beside threads that have the reader's role, too.
stop = threading.Event()
failures = []
threading.excepthook = failures.append


def busy():
    while not stop.is_set():
        equal(host("sleep", n=5, value="t")["args"]["value"], "t")


threads = [threading.Thread(target=busy) for _ in range(4)]
for thread in threads:
    thread.start()
seen.clear()
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
equal(host("sleep", n=600, value="main")["args"]["value"], "main")
signal.setitimer(signal.ITIMER_REAL, 0)
stop.set()
for thread in threads:
    thread.join()
assert not failures and len(seen) >= 1, (failures, seen)


# C11: an exception abandons the call; its answer, which comes late, goes to nobody.
def interrupt_after(seconds):
    threading.Timer(seconds, signal.raise_signal, (signal.SIGINT,)).start()


cancels = host("log")["cancels"]
for round in range(3):
    interrupt_after(0.05)
    with raises(KeyboardInterrupt):
        host("silent", value="late")  # answered only after its CANCEL
    equal(terminal("next")["args"], {"command": "next"})
equal(len(host("log")["cancels"]), len(cancels) + 3)


# The same in the middle of a frame that the host does not read: the frame is finished, not cut.
def on_interrupt(*_):
    raise TimeoutError


signal.signal(signal.SIGALRM, on_interrupt)
thread = threading.Thread(target=host, args=("pause",), kwargs={"n": 500})
thread.start()
time.sleep(0.05)
signal.setitimer(signal.ITIMER_REAL, 0.1)
with raises(TimeoutError):
    host("silent", value="x" * 5_000_000)
thread.join()
equal(terminal("next")["args"], {"command": "next"})
equal(len(host("log")["cancels"]), len(cancels) + 4)

# A handler that forks: the child may not go on with its parent's call.
read_end, write_end = os.pipe()


def on_fork(*_):
    if os.fork() == 0:
        global child
        child = True


child = False
signal.signal(signal.SIGALRM, on_fork)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    result = host("sleep", n=300, value="parent")
except RuntimeError as error:
    os.write(write_end, str(error).encode())
    os._exit(0)
if child:
    os.write(write_end, b"the child got an answer")
    os._exit(1)
equal(result["args"]["value"], "parent")
assert b"forked child" in os.read(read_end, 1000)
equal(terminal("next")["args"], {"command": "next"})
equal(os.waitstatus_to_exitcode(os.wait()[1]), 0)
