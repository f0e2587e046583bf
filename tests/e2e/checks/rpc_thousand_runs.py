# SPDX-License-Identifier: MIT
"""ptc-host rpc: a thousand runs with calls and questions through one service: flat memory and fds."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402
from rpc_service import Service  # noqa: E402

RUNS = 1000
AT_ONCE = 8
KIB_MAX = 1024
CODE = "from hermes_tools import own\nprint(own(1)['n'])"


def state_of(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    kib = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    return kib, len(os.listdir(f"/proc/{pid}/fd"))


def serve(service, count):
    """Keeps AT_ONCE runs going until count have ended."""
    begun = ended = 0
    while ended < count:
        while begun < count and begun - ended < AT_ONCE:
            kind = begun % 4
            service.request("run", code=CODE if kind else "1 / 0", policy=kind == 2,
                            events=kind == 3, options={"timeout": 60})
            begun += 1
        message = service.next()
        if message["type"] == "call":
            service.send(method="reply", call=message["call"], result={"n": message["args"]["n"]})
        elif message["type"] == "ask":
            service.send(method="decide", call=message["call"], decision="allow")
        elif message["type"] == "result":
            result = message["result"]
            good = result["output"] == "1\n" or "ZeroDivisionError" in result.get("error", "")
            expect(good, f"{result}")
            ended += 1
        else:
            expect(message["type"] == "event", f"{message}")


def check(bench):
    # A sanitizer would keep what is freed, to look at it.
    service = Service(bench, env={"ASAN_OPTIONS": "quarantine_size_mb=0"})
    pid = service.process.pid
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    service.result(service.request("register_tool", name="own", parameters=schema))
    serve(service, RUNS // 4)
    kib, fds = state_of(pid)
    serve(service, RUNS)
    kib_after, fds_after = state_of(pid)
    expect(kib_after - kib < KIB_MAX, f"{kib_after - kib} KiB more after {RUNS} runs")
    expect(fds_after <= fds + AT_ONCE * 6, f"{fds} fds have become {fds_after}")
    stats = service.result(service.request("stats"))
    expect(stats["zygote_starts"] == 1 and stats["runs_active"] == 0, f"{stats}")
    expect(service.end() == [], "more lines than answers")


main_of_check(check)
