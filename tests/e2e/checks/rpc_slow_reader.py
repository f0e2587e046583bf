# SPDX-License-Identifier: MIT
"""ptc-host rpc: a client that reads slowly or not at all costs no memory, and loses nothing."""
import json
import time
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402
from rpc_service import Service  # noqa: E402

MIB = 1 << 20
OUTPUT_MIB = 48
RUNS = 4
GROWTH_MAX = 24 * MIB


def memory_of(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def check_slow(bench):
    """Four runs print 48 MiB each; the client sleeps, then reads: all of it is there, in order."""
    service = Service(bench, reading=False)
    pid = service.process.pid
    service.process.stdout.readline()
    service.send(id="warm", method="ping")
    service.process.stdout.readline()
    time.sleep(0.5)
    before = memory_of(pid)
    code = f"for i in range({OUTPUT_MIB * 16}):\n    print(f'{{i:08}}' + 'x' * 65527)"
    for number in range(RUNS):
        service.send(id=number, method="run", code=code, events=["output"],
                     options={"timeout": 120})
    sizes, highest, open_runs = [0] * RUNS, 0, RUNS
    texts = [[] for _ in range(RUNS)]
    time.sleep(1.5)
    while open_runs:
        highest = max(highest, memory_of(pid))
        message = json.loads(service.process.stdout.readline())
        if message["type"] == "result":
            open_runs -= 1
            expect(message["result"]["status"] == "success", f"{str(message)[:500]}")
            continue
        sizes[message["run"]] += len(message["data"])
        texts[message["run"]] += [line[:8] for line in message["data"].split("\n")
                                  if line[:1] == "0"]
    expect(sizes == [OUTPUT_MIB * MIB] * RUNS, f"{sizes}")
    for seen in texts:
        numbers = [text for text in seen if len(text) == 8]
        expect(numbers == sorted(numbers) and len(numbers) > 100, "pieces out of order")
    grown = max(highest - before, 0)
    expect(grown < GROWTH_MAX, f"{grown / MIB:.1f} MiB more while {RUNS * OUTPUT_MIB} MiB passed")
    service.process.stdin.close()
    expect(service.process.stdout.read() == b"", "more lines than answers")
    service.end(close=False)


def check_writer_first(bench):
    """A client that writes twenty megabytes before it reads, while megabytes wait for it."""
    service = Service(bench, reading=False)
    service.process.stdout.readline()
    service.send(id=1, method="run", code="print('x' * 5000000)", events=["output"])
    time.sleep(1)
    service.send(id=2, method="run", code="#" + "y" * (20 * MIB) + "\nprint(3)")
    ended = set()
    while len(ended) < 2:
        message = json.loads(service.process.stdout.readline())
        if message["type"] == "result":
            expect(message["result"]["status"] == "success", f"{str(message)[:500]}")
            ended.add(message["id"])
    service.process.stdin.close()
    service.process.stdout.read()
    service.end(close=False)


def check_never(bench):
    """The client never reads, and ends: the service gives up, and leaves nothing behind."""
    service = Service(bench, reading=False)
    service.send(id=1, method="run", code="while True:\n    print('x' * 60000)", events=True)
    service.send(id=2, method="run", code="print('y' * 9000000)", options={"max_output": 0})
    time.sleep(1.5)
    expect(memory_of(service.process.pid) < 64 * MIB, "lines that nobody reads have filled memory")
    service.process.stdin.close()
    service.process.wait(40)
    errors = service.process.stderr.read()
    service.process.stderr = None
    expect(b"does not read" in errors and errors.count(b"\n") == 1, f"{errors}")
    service.end(74, close=False)


def check(bench):
    check_slow(bench)
    check_writer_first(bench)
    check_never(bench)


main_of_check(check)
