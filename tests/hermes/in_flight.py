# SPDX-License-Identifier: MIT
"""harness --in-flight 3: never more with the host, and no deadlock for those who queue."""
import asyncio
import concurrent.futures
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(__file__))
from support import equal

from hermes_tools import aio, host, terminal

with concurrent.futures.ThreadPoolExecutor(20) as pool:
    answers = pool.map(lambda n: host("sleep", n=5, value=n)["args"]["value"], range(60))
    equal(list(answers), list(range(60)))
equal(host("log")["in_flight_max"], 3)


# Coroutines that fill all places, and a plain call from the loop's own thread.
async def main():
    tasks = [asyncio.ensure_future(aio.host("sleep", n=30, value=i)) for i in range(10)]
    await asyncio.sleep(0)
    equal(terminal("plain")["args"], {"command": "plain"})
    results = await asyncio.gather(*tasks)
    equal([r["args"]["value"] for r in results], list(range(10)))


asyncio.run(main())

# A signal handler that calls while all places are taken.
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append(terminal("handler")["args"]["command"]))
with concurrent.futures.ThreadPoolExecutor(5) as pool:
    others = [pool.submit(host, "sleep", n=400) for _ in range(5)]
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    host("sleep", n=300)
equal(seen, ["handler"])
equal(host("log")["in_flight_max"], 3)
