# SPDX-License-Identifier: MIT
"""C07: forked children are told that they may not call; the parent's channel is not touched."""
import asyncio
import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
import threading

sys.path.insert(0, os.path.dirname(__file__))
from support import equal, raises

from hermes_tools import aio, host, terminal

calls = host("log")["calls"]
read_end, write_end = os.pipe()
# Some fork while other threads hold whatever there is to hold.
stop = threading.Event()
made = 0


def busy():
    global made
    while not stop.is_set():
        equal(terminal("busy")["args"], {"command": "busy"})
        made += 1


thread = threading.Thread(target=busy)
thread.start()
for _ in range(20):
    if os.fork() == 0:
        for call in (lambda: terminal("child"), lambda: asyncio.run(aio.terminal("child"))):
            with raises(RuntimeError, "forked child"):
                call()
        os.write(write_end, b"refused ")
        os._exit(0)
stop.set()
thread.join()
for _ in range(20):
    equal(os.waitstatus_to_exitcode(os.wait()[1]), 0)
equal(os.read(read_end, 1000), b"refused " * 20)
equal(terminal("parent")["args"], {"command": "parent"})
equal(host("log")["calls"], calls + made + 2)


def call(_):
    return terminal("worker")


context = multiprocessing.get_context("fork")
with context.Pool(2) as pool:
    with raises(RuntimeError, "forked child"):
        pool.map(call, range(2))
with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
    with raises(TypeError, "cannot pickle the tool function terminal"):
        pool.submit(terminal, "x").result()

# C08: other programs do not have the channel, nor the module.
descriptor = aio._hermes_tools._descriptor()
program = f"import os\ntry: os.fstat({descriptor})\nexcept OSError: print('closed')"
output = subprocess.run([sys.executable or "/usr/bin/python3.11", "-I", "-c", program],
                        capture_output=True, text=True, close_fds=False)
equal(output.stdout, "closed\n")
