# SPDX-License-Identifier: MIT
"""ptc-host rpc: every way to its end is clean: answers that are due, exit code, nothing left."""
import signal
import subprocess
import time
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Run, check_no_survivors, expect, main_of_check  # noqa: E402
from rpc_service import Service  # noqa: E402

# A script with a thread, a child of its own and a terminal command that would all stay.
STAYS = """
import subprocess, threading, time
from hermes_tools import terminal
subprocess.Popen(['sleep', '300'], start_new_session=True)
threading.Thread(target=terminal, args=('sleep 300',)).start()
print('up', flush=True)
time.sleep(300)
"""


def start_staying(bench, *options, count=3):
    service = Service(bench, *options)
    ids = [service.request("run", code=STAYS, events=["output"]) for _ in range(count)]
    for _ in ids:
        service.of_type("event")
    return service, ids


def need_interrupted(rest, ids):
    results = {m["id"]: m["result"] for m in rest if m["type"] == "result"}
    expect(set(results) >= set(ids), f"not every run has an answer: {list(results)}")
    for number in ids:
        result = results[number]
        expect(result["status"] == "interrupted" and result["output"].startswith("up\n"),
               f"{str(result)[:500]}")


def check_end_of_file(bench):
    for options in ((), ("--cold",)):
        service, ids = start_staying(bench, *options)
        service.request("ping")
        done = service.request("run", code="print('due')")
        expect(service.result(done)["output"] == "due\n", "a run beside them")
        need_interrupted(service.end(), ids)


def check_end_at_once(bench):
    """Requests and the end of file in one go: everything is answered, the run with what it has."""
    process = bench.start("rpc", "--no-config", stdin=subprocess.PIPE)
    out, errors = process.communicate(b'{"id": 1, "method": "ping"}\n'
                                      b'{"id": 2, "method": "run", "code": "print(1)"}\n', 30)
    expect(process.returncode == 0 and not errors, f"{process.returncode} {errors}")
    expect(out.count(b"\n") == 3 and b'"id":2' in out and b"pong" in out, f"{out}")
    process = bench.start("rpc", "--no-config", stdin=subprocess.DEVNULL)
    out, errors = process.communicate(timeout=30)
    expect(process.returncode == 0 and not errors and out.count(b"\n") == 1, f"{out} {errors}")


def check_signals(bench):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        service, ids = start_staying(bench)
        service.process.send_signal(number)
        need_interrupted(service.end(close=False), ids)


def check_shutdown(bench):
    service, ids = start_staying(bench)
    last = service.request("shutdown")
    rest = service.end(close=False)
    need_interrupted(rest, ids)
    expect(rest[-1] == {"type": "result", "id": last, "result": True}, f"last: {rest[-1]}")


def check_finish(bench):
    service = Service(bench)
    service.result(service.request("register_tool", name="own"))
    run = service.request("run", code="from hermes_tools import own\nprint(own()['a'])\nprint(1)")
    call = service.of_type("call")
    last = service.request("shutdown", finish=True)
    refused = service.request("run", code="print(2)")
    expect(service.error(refused)["code"] == "shutting_down", "a run after shutdown")
    expect(service.result(service.request("ping")) == "pong", "ping after shutdown")
    time.sleep(0.3)
    service.send(method="reply", call=call["call"], result={"a": "late"})
    expect(service.result(run)["output"] == "late\n1\n", "the run was not finished")
    expect(service.end(close=False) == [{"type": "result", "id": last, "result": True}], "rest")


def check_finish_then_gone(bench):
    """Nobody is left to serve the tool or to decide: the scripts go on without."""
    service = Service(bench)
    service.result(service.request("register_tool", name="own"))
    code = """
from hermes_tools import own, terminal, ToolError
for _ in range(2):
    try:
        print(own())
    except ToolError as error:
        print(error)
print(terminal('true').get('error'))
"""
    run = service.request("run", code=code)
    service.of_type("call")
    asked = service.request("run", code=code, policy=True)
    service.of_type("ask")
    service.send(method="shutdown", finish=True)
    results = {m["id"]: m["result"]["output"].splitlines() for m in service.end()}
    gone = "the program that serves this tool has gone"
    expect(results[run] == [gone, gone, "None"], f"{results}")
    expect(len(results[asked]) == 3 and "denied" in results[asked][2], f"{results}")


def check_reader_gone(bench):
    """Standard output is closed while nothing is said: found without writing."""
    service = Service(bench, reading=False)
    service.process.stdout.readline()
    service.send(id=1, method="run", code=STAYS)
    time.sleep(0.5)
    service.process.stdout.close()
    service.end(close=False)


CLIENT = """
import json, subprocess, sys
p = subprocess.Popen([sys.argv[1], 'rpc'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
p.stdin.write(json.dumps(dict(id=1, method='run', events=True, code=sys.argv[2])).encode() + b'\\n')
p.stdin.flush()
for line in p.stdout:
    if b'"up' in line:
        print('up', flush=True)
"""


def check_client_killed(bench):
    """The client's process dies in the middle of everything."""
    began = time.monotonic()
    client = subprocess.Popen([sys.executable, "-c", CLIENT, bench.ptc_host, STAYS],
                              cwd=bench.workspace, stdout=subprocess.PIPE,
                              env=bench.environment())
    expect(client.stdout.readline() == b"up\n", "the client's run has not begun")
    client.kill()
    client.wait()
    check_no_survivors(Run(client.args, 0, b"", b"", time.monotonic() - began))


def check_second_signal(bench):
    """A client that reads nothing and a signal that is sent twice."""
    service = Service(bench, reading=False)
    service.send(id=1, method="run", code="print('x' * 3000000)", options={"max_output": 0},
                 events=True)
    time.sleep(1)
    service.process.send_signal(signal.SIGTERM)
    time.sleep(1.5)
    service.process.send_signal(signal.SIGTERM)
    service.process.wait(10)
    expect(service.process.returncode == 128 + signal.SIGTERM, f"{service.process.returncode}")
    service.process.stdout.close()
    service.end(128 + signal.SIGTERM)


def check(bench):
    check_end_of_file(bench)
    check_end_at_once(bench)
    check_signals(bench)
    check_shutdown(bench)
    check_finish(bench)
    check_finish_then_gone(bench)
    check_reader_gone(bench)
    check_client_killed(bench)
    check_second_signal(bench)


main_of_check(check)
