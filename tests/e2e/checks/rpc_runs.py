# SPDX-License-Identifier: MIT
"""ptc-host rpc: many runs at once with their own answers and options; cancel; events in order."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402
from rpc_service import Service  # noqa: E402

RUNS = 24
RUNS_MAX = 256


def check_many_at_once(service):
    """The last one to begin is the first to end: nobody waits for another."""
    code = "import sys, time; time.sleep(float(sys.argv[2])); print(sys.argv[1])"
    ids = [service.request("run", code=code, args=[f"run {i}", str(2 - i * 0.08)])
           for i in range(RUNS)]
    order = []
    for _ in ids:
        message = service.of_type("result")
        order.append(message["id"])
        i = ids.index(message["id"])
        expect(message["result"]["output"] == f"run {i}\n", f"run {i}: {message}")
    expect(order.index(ids[-1]) < order.index(ids[0]), f"they came one after the other: {order}")


def check_options(service):
    result = service.run("while True: pass", options={"timeout": 0.3})
    expect(result["status"] == "timeout", f"its own timeout: {result}")
    result = service.run("print('x' * 5000)", options={"max_output": 1000})
    expect(result["stdout_truncated"] is True, f"its own max_output: {result}")
    result = service.run("import sys; print(sys.argv)", argv0="me", args=["", "a b", "ü"])
    expect(result["output"] == "['me', '', 'a b', 'ü']\n", f"argv: {result}")
    result = service.run("")
    expect(result["status"] == "error" and "empty" in result["error"], f"no code: {result}")
    result = service.run("print('nul: \0')")
    expect(result["status"] == "error", f"a NUL in the code: {result}")
    result = service.run("import os; print(os.environ['A'])", options={"env": ["A=1"]})
    expect(result["output"] == "1\n", f"its own env: {result}")
    result = service.run("print(len(input.__doc__ or ''), end='')\ninput()")
    expect("EOFError" in result["error"], f"a script reads the protocol: {result}")


def check_path(bench, service):
    bench.write("script.py", "print(__file__)")
    number = service.request("run", path=str(bench.workspace / "script.py"))
    expect(service.result(number)["output"] == f"{bench.workspace}/script.py\n", "path")


def check_cancel(service):
    code = "print('kept', flush=True)\nimport time\ntime.sleep(60)"
    number = service.request("run", code=code, events=["output"])
    service.of_type("event")
    expect(service.result(service.request("cancel", run=number, reason="enough")), "cancel")
    result = service.result(number)
    expect(result["status"] == "interrupted" and "enough" in result["error"], f"{result}")
    expect(result["output"].startswith("kept\n"), f"cancel loses the output: {result}")
    service.kept.clear()  # of the traceback
    at_once = service.request("run", code="import time; time.sleep(60)")
    service.send(method="cancel", run=at_once)
    expect(service.result(at_once)["status"] == "interrupted", "cancel of a run that just began")
    expect(service.error(service.request("cancel", run=number))["code"] == "unknown_run", "late")


def check_events(service):
    code = """
import sys, threading, hermes_tools as t
print('ä' * 100000)
sys.stdout.buffer.write(b'\\xff\\xe2\\x82'); sys.stdout.flush()
print('err', file=sys.stderr, flush=True)
t.terminal('true')
"""
    number = service.request("run", code=code, events=True, options={"heartbeat": 0})
    events = []
    while (message := service.next())["type"] == "event":
        expect(message["run"] == number, f"an event of another run: {message}")
        events.append(message)
    expect(message["id"] == number, f"the result is not the last: {message}")
    out = "".join(e["data"] for e in events if e.get("stream") == "stdout")
    expect(out == "ä" * 100000 + "\n\ufffd\ufffd", f"characters were cut: {out[-40:]!r}")
    err = "".join(e["data"] for e in events if e.get("stream") == "stderr")
    expect(err == "err\n", f"stderr: {err!r}")
    calls = [e for e in events if "call" in e]
    expect([e["event"] for e in calls] == ["call_started", "call_ended"], f"{calls}")
    expect(calls[0]["call"] == calls[1]["call"] and calls[1]["ok"] is True, f"{calls}")
    quiet = service.request("run", code="print(1)")
    expect(service.next()["id"] == quiet, "events that nobody has asked for")


def check_process(service):
    """One thread; an interpreter before anybody asks; nothing else can print into the protocol."""
    folder = Path(f"/proc/{service.process.pid}")
    expect(len(list((folder / "task").iterdir())) == 1, "more than one thread")
    expect((folder / "fd/1").readlink() == (folder / "fd/2").readlink(), "stdout is not moved away")
    expect(str((folder / "fd/0").readlink()) == "/dev/null", "stdin is not moved away")
    stats = service.result(service.request("stats"))
    expect(stats["zygote_starts"] == 1 and stats["runs_started"] == 1, f"not warm: {stats}")


def check_limit(service):
    code = "import hermes_tools; hermes_tools.hold()"
    service.result(service.request("register_tool", name="hold"))
    ids = [service.request("tool_call", tool="hold") for _ in range(RUNS_MAX)]
    calls = [service.of_type("call") for _ in ids]
    expect(service.error(service.request("run", code=code))["code"] == "too_many_runs", "257 runs")
    for call in calls:
        service.send(method="reply", call=call["call"], result=call["run"])
    for number in ids:
        value = service.result(number)["value"]
        expect(value in (number, {"result": number}), f"tool_call of an own tool: {value}")


def check(bench):
    service = Service(bench)
    check_process(service)
    check_many_at_once(service)
    check_options(service)
    check_path(bench, service)
    check_cancel(service)
    check_events(service)
    check_limit(service)
    stats = service.result(service.request("stats"))
    expect(stats["runs_active"] == 0 and stats["zygotes"] == 1, f"stats: {stats}")
    expect(service.end() == [], "more lines than answers")


main_of_check(check)
