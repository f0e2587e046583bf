# SPDX-License-Identifier: MIT
"""C13, C14: calls while the interpreter goes down are answered or refused, never a crash."""
import atexit
import threading
import time

from hermes_tools import host, terminal


class Late:
    def __init__(self, call=terminal):
        self.call = call

    def __del__(self):
        self.call("from __del__")


kept = Late()
kept.cycle = kept
other = Late()
atexit.register(lambda: terminal("from atexit"))


def endless():
    while True:
        host("sleep", n=1)


for _ in range(3):
    threading.Thread(target=endless, daemon=True).start()
threading.Thread(target=lambda: host("silent"), daemon=True).start()
time.sleep(0.05)
import builtins

builtins.kept_until_the_end = Late()
