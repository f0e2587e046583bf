# SPDX-License-Identifier: MIT
"""failure.py MODE: the channel breaks. Every waiter gets a RuntimeError, and so does every later
call; nothing hangs, nothing crashes."""
import asyncio
import os
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
from support import equal, raises

import hermes_tools
from hermes_tools import aio, host, terminal

mode = sys.argv[1]
texts = {
    "close": "the host has closed the tool channel",
    "garbage": "breaks the protocol",
    "wrong_id": "breaks the protocol",
    "descriptor": "file descriptor was closed",
    "reused_descriptor": "",
}
outcomes = []


def waiter():
    try:
        outcomes.append(host("silent"))
    except RuntimeError as error:
        outcomes.append(str(error))


threads = [threading.Thread(target=waiter) for _ in range(5)]
for thread in threads:
    thread.start()
time.sleep(0.05)
descriptor = hermes_tools._descriptor()
if mode == "descriptor":
    os.close(descriptor)
elif mode == "reused_descriptor":
    pair = socket.socketpair()
    os.dup2(os.open("/dev/null", os.O_RDWR), descriptor)
if mode in ("descriptor", "reused_descriptor"):
    with raises(RuntimeError, texts[mode]):
        terminal("x")
else:
    with raises(RuntimeError, texts[mode]):
        host(mode, value="\x01" * 100)
for thread in threads:
    thread.join()
equal(len(outcomes), 5)
for outcome in outcomes:
    assert isinstance(outcome, str) and texts[mode] in outcome, outcome
for _ in range(3):
    with raises(RuntimeError, texts[mode]):
        terminal("x")
    with raises(RuntimeError, texts[mode]):
        asyncio.run(aio.terminal("x"))
with raises(RuntimeError):
    terminal("x" * 1_000_000)
assert json_parse("[1]") == [1]
