# SPDX-License-Identifier: MIT
"""Calls of every kind, many times: the interpreter's blocks and the process's memory stay flat."""
import asyncio
import ctypes
import gc
import os
import resource
import signal
import sys

sys.path.insert(0, os.path.dirname(__file__))
from support import raises

import hermes_tools
from hermes_tools import ToolError, aio, describe, host, raiser, search_tools, terminal, write_file

failing = [
    (TypeError, lambda: terminal()),
    (TypeError, lambda: terminal(x=1)),
    (TypeError, lambda: terminal(*[1] * 9)),
    (TypeError, lambda: host("echo", value=[{"a": b"x"}])),
    (ValueError, lambda: terminal("\ud800")),
    (ToolError, lambda: raiser({"error": "x"})),
    (RuntimeError, lambda: host("raw", value="nonsense")),
    (RuntimeError, lambda: host("raw", value='{"result":{},"bodies":[[0,"x","y"]]}')),
    (AttributeError, lambda: hermes_tools.nope),
]


async def coroutines():
    await asyncio.gather(*(aio.terminal(str(i)) for i in range(3)))
    try:
        await asyncio.wait_for(aio.host("silent"), 0.001)
    except asyncio.TimeoutError:
        pass


loop = asyncio.new_event_loop()


def once_failing():
    for kind, call in failing:
        with raises(kind):
            call()


def once():
    terminal("x", timeout=5, workdir="w")
    write_file("a", "x" * 5000)
    write_file("a", "é" * 5000)
    host("echo", value={"a": [1, 2.5, None, True, "é", {"b": ["x" * 5000]}]}, other=1)
    host("echo", value=list(range(14_000)))
    host("big", n=100_000)
    host("value", value='{"a":"\\ud800"} rest')
    host("raw", value='{"result":[1]}')
    search_tools("file")
    describe("terminal")
    json_parse('{"a":1}')
    shell_quote("a b")
    retry(lambda: 1)
    once_failing()
    loop.run_until_complete(coroutines())


def measure(rounds):
    for _ in range(rounds):
        once()
    gc.collect()
    return sys.getallocatedblocks(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def growth():
    blocks_before, memory_before = measure(1)
    blocks_after, memory_after = measure(400)
    return blocks_after - blocks_before, memory_after - memory_before


measure(200)  # caches and specialised code settle
# One block a round would be 400; free lists fill up slowly, on a busy machine more of them: a leak is
# what grows each time. Under PYTHONMALLOC=malloc the count is 0 and memory alone decides.
growths = []
while not growths or growths[-1][0] >= 300 or growths[-1][1] >= 20_000:
    assert len(growths) < 3, growths
    growths.append(growth())


class Heap(ctypes.Structure):
    """struct mallinfo2: the C heap, where frames and calls live."""
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


def heap_bytes():
    function = ctypes.CDLL(None).mallinfo2
    function.restype = Heap
    return function().uordblks


def abandoned():
    with raises(TimeoutError):  # the alarm may come before the call does
        signal.setitimer(signal.ITIMER_REAL, 0.0005)
        host("silent")


def on_alarm(*_):
    raise TimeoutError


signal.signal(signal.SIGALRM, on_alarm)
if not os.environ.get("PYTHONMALLOC"):  # else Python's own objects are in the C heap as well
    for count, call in [(5000, lambda: terminal("x")), (500, once_failing), (200, abandoned),
                        (300, lambda: loop.run_until_complete(coroutines()))]:
        for _ in range(50):
            call()
        before = heap_bytes()
        for _ in range(count):
            call()
        assert heap_bytes() - before < count * 30, (call, count, before, heap_bytes())
loop.close()

references = sys.getrefcount(None), sys.getrefcount(terminal), sys.getrefcount("x")
for _ in range(20_000):
    terminal("x")
after = sys.getrefcount(None), sys.getrefcount(terminal), sys.getrefcount("x")
assert all(abs(a - b) < 50 for a, b in zip(references, after)), (references, after)
