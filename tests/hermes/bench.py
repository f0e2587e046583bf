# SPDX-License-Identifier: MIT
"""Round trip of a small call, with a host that answers without looking. Not a test; compare it with
`hermes_harness --ping-pong`: as many bytes between two processes by bare system calls."""
import time

from hermes_tools import host, terminal


def best(function, count):
    times = []
    for _ in range(7):
        start = time.perf_counter_ns()
        for _ in range(count):
            function()
        times.append((time.perf_counter_ns() - start) / count / 1000)
    return min(times)


host("canned")
print(f"call {best(lambda: terminal('x'), 5000):.2f} us")
