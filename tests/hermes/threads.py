# SPDX-License-Identifier: MIT
"""Many threads, one channel: everybody gets the own answer, and waits side by side."""
import concurrent.futures
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
from support import equal

import hermes_tools
from hermes_tools import host, terminal


def sleeper(number):
    equal(host("sleep", n=50, value=number)["args"]["value"], number)


# C01, C05: ten sleep together, not one after the other.
threads = [threading.Thread(target=sleeper, args=(i,)) for i in range(10)]
failures = []
threading.excepthook = failures.append
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failures, failures
assert host("log")["in_flight_max"] == 10

# C02.
with concurrent.futures.ThreadPoolExecutor(32) as pool:
    before = host("log")["calls"]
    numbers = range(5000)
    answers = pool.map(lambda n: terminal(f"c{n}")["args"]["command"], numbers)
    equal(list(answers), [f"c{n}" for n in numbers])
    equal(host("log")["calls"], before + 1 + len(numbers))

    # Answers in the reverse order of the calls.
    answers = pool.map(lambda n: host("reverse", n=20, value=n)["args"]["value"], range(20))
    equal(list(answers), list(range(20)))

    # Large ones beside small ones, both ways; the socket is full most of the time.
    def mixed(number):
        if number % 3 == 0:
            return len(host("big", n=1_000_000 + number)["content"]) - 1_000_000
        if number % 3 == 1:
            text = f"{number:07d}" * 200_000
            return number if host("echo", value=text)["args"]["value"] == text else -1
        return host("echo", value=number)["args"]["value"]

    equal(list(pool.map(mixed, range(150))), list(range(150)))

# The GIL is free while a call waits.
counter = 0
done = threading.Event()


def count():
    global counter
    while not done.is_set():
        counter += 1


thread = threading.Thread(target=count)
thread.start()
host("sleep", n=200)
done.set()
thread.join()
assert counter > 1000, counter

# A host that does not read for a while, with more on the way than the socket takes.
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    paused = pool.submit(host, "pause", n=300)
    texts = [str(i) * 500_000 for i in range(8)]
    answers = pool.map(lambda text: host("echo", value=text)["args"]["value"], texts)
    equal(list(answers), texts)
    paused.result()

# Waiting costs no processor time, not even on a descriptor that the script made non-blocking.
for blocking in (True, False):
    os.set_blocking(hermes_tools._descriptor(), blocking)
    used = time.process_time()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: host("sleep", n=500), range(4)))
    host("sleep", n=300)
    assert time.process_time() - used < 0.25, time.process_time() - used
