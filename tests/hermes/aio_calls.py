# SPDX-License-Identifier: MIT
"""Tools as coroutines."""
import asyncio
import concurrent.futures
import gc
import inspect
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
from support import equal, raises

import hermes_tools

assert "hermes_tools.aio" not in sys.modules
import hermes_tools.aio
from hermes_tools import aio, host, terminal
from hermes_tools.aio import terminal as terminal_async

assert aio is hermes_tools.aio is sys.modules["hermes_tools.aio"]
equal(aio.__all__, hermes_tools.tools())
for name in aio.__all__:
    plain, coroutine = getattr(hermes_tools, name), getattr(aio, name)
    assert inspect.iscoroutinefunction(coroutine)
    equal(inspect.signature(coroutine), inspect.signature(plain))
    equal((coroutine.__doc__, coroutine.__name__), (plain.__doc__, plain.__name__))
with raises(AttributeError, "nope", "terminal"):
    aio.nope
with raises(ImportError):
    from hermes_tools.aio import nope
assert not hasattr(aio, "nope")


async def basics():
    equal((await terminal_async("x"))["args"], {"command": "x"})
    with raises(TypeError, "missing 1 required"):
        await aio.terminal()
    with raises(TypeError, "argument 'command'"):
        await aio.terminal(b"x")
    with raises(hermes_tools.ToolError, "broken"):
        await aio.raiser({"error": "broken"})
    results = await asyncio.gather(*(aio.host("sleep", n=100, value=i) for i in range(20)))
    equal([r["args"]["value"] for r in results], list(range(20)))
    equal(host("log")["in_flight_max"], 20)
    results = await asyncio.gather(*(aio.terminal(f"c{i}") for i in range(500)))
    equal([r["args"]["command"] for r in results], [f"c{i}" for i in range(500)])


asyncio.run(basics())


async def large():
    texts = [f"{i}" * 3_000_000 for i in range(5)]
    results = await asyncio.gather(*(aio.host("echo", value=t) for t in texts))
    assert [r["args"]["value"] for r in results] == texts
    # A host that does not read for a while: the loop goes on meanwhile.
    paused = asyncio.ensure_future(aio.host("pause", n=300))
    slow = asyncio.ensure_future(aio.host("echo", value="y" * 5_000_000))
    ticks = 0
    while not slow.done():
        await asyncio.sleep(0.01)
        ticks += 1
    assert ticks >= 10, ticks
    await paused
    assert len((await slow)["args"]["value"]) == 5_000_000


asyncio.run(large())


async def cancelling():
    before = host("log")["cancels"]
    with raises(asyncio.TimeoutError):
        await asyncio.wait_for(aio.host("silent"), 0.05)
    task = asyncio.ensure_future(aio.host("silent"))
    await asyncio.sleep(0.02)
    task.cancel()
    with raises(asyncio.CancelledError):
        await task
    equal(len((await aio.host("log"))["cancels"]), len(before) + 2)
    equal((await aio.terminal("next"))["args"], {"command": "next"})
    asyncio.ensure_future(aio.host("silent"))  # left behind: asyncio.run cancels it
    await asyncio.sleep(0.02)


asyncio.run(cancelling())
equal(len(host("log")["cancels"]), 3)


async def beside_threads():
    """Plain calls in threads read the coroutines' answers, and the other way round."""
    loop = asyncio.get_running_loop()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        plain = [loop.run_in_executor(pool, lambda i=i: host("sleep", n=i % 7, value=i))
                 for i in range(200)]
        own = [aio.host("sleep", n=i % 5, value=i) for i in range(200)]
        results = await asyncio.gather(*plain, *own)
    equal([r["args"]["value"] for r in results], list(range(200)) * 2)
    # A plain call in the loop's own thread answers for the coroutines too.
    task = asyncio.ensure_future(aio.host("sleep", n=10, value="task"))
    await asyncio.sleep(0)
    host("sleep", n=100)
    equal((await task)["args"]["value"], "task")
    # A thread that reads for the coroutine hands the answer on at once, not after its own.
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        slow = pool.submit(host, "sleep", n=1000)
        await asyncio.sleep(0.05)
        await aio.host("sleep", n=50)
        assert not slow.done()


asyncio.run(beside_threads())

# Two loops in two threads at once.
failures = []
threading.excepthook = failures.append


async def many(tag):
    for i in range(200):
        equal((await aio.terminal(f"{tag}{i}"))["args"], {"command": f"{tag}{i}"})


threads = [threading.Thread(target=lambda tag=tag: asyncio.run(many(tag))) for tag in "ab"]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failures, failures

# A loop that is closed while its call is outstanding.
loop = asyncio.new_event_loop()
task = loop.create_task(aio.host("sleep", n=50))
loop.run_until_complete(asyncio.sleep(0.01))
loop.close()
time.sleep(0.1)
equal(terminal("x")["args"], {"command": "x"})
task._log_destroy_pending = False
complaints = []
sys.unraisablehook = complaints.append
del loop, task
gc.collect()
assert not complaints, complaints

# The descriptor is closed under a waiting coroutine.
async def closing():
    task = asyncio.ensure_future(aio.host("silent"))
    await asyncio.sleep(0.02)
    os.close(hermes_tools._descriptor())
    with raises(RuntimeError, "tool channel is gone"):
        await aio.terminal("x")
    with raises(RuntimeError, "tool channel is gone"):
        await task


asyncio.run(closing())
