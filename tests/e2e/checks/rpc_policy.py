# SPDX-License-Identifier: MIT
"""ptc-host rpc: questions about calls: allow, deny, nobody answers, the clock stands still."""
import time
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402
from rpc_service import Service  # noqa: E402

CODE = "from hermes_tools import terminal\nr = terminal('echo made')\nprint(r.get('output'), r.get('error'))"


def ask(service, code=CODE, **options):
    number = service.request("run", code=code, policy=True, options=options)
    question = service.of_type("ask")
    expect(question["run"] == number and question["tool"] == "terminal", f"{question}")
    expect(question["args"]["command"] == "echo made", f"{question}")
    return number, question["call"]


def check_decisions(service):
    number, call = ask(service)
    service.send(method="decide", call=call, decision="allow")
    expect(service.result(number)["output"] == "made None\n", "allowed, and not made")
    number, call = ask(service)
    decided = service.request("decide", call=call, decision="deny", reason="not 'now'")
    expect(service.result(decided) is True, "decide is answered")
    result = service.result(number)
    expect(result["output"] == "None terminal was denied: not 'now'\n", f"{result['output']}")
    again = service.request("decide", call=call, decision="allow")
    expect(service.error(again)["code"] == "unknown_call", "a second decision")


def check_clock(service):
    """Two seconds of thinking do not count in a run of one second; others go on meanwhile."""
    number, call = ask(service, timeout=1)
    began = time.monotonic()
    while time.monotonic() - began < 2:
        expect(service.run("print(1)")["output"] == "1\n", "another run stands still too")
        time.sleep(0.2)
    service.send(method="decide", call=call, decision="allow")
    result = service.result(number)
    expect(result["status"] == "success", f"its clock went on: {result}")
    expect(result["usage"]["waiting_seconds"] >= 1.9, f"waiting_seconds: {result['usage']}")


def check_nobody_answers(service):
    number, call = ask(service, ask_timeout=0.3)
    result = service.result(number)
    expect("nobody has answered" in result["output"], f"{result}")
    late = service.request("decide", call=call, decision="allow")
    expect(service.error(late)["code"] == "unknown_call", "a late decision")
    slow = CODE + "\nimport time; time.sleep(1)"
    number, call = ask(service, slow, ask_timeout=0.3)
    time.sleep(0.7)  # too late, but the run still goes on
    late = service.request("decide", call=call, decision="allow")
    expect(service.error(late)["code"] == "unknown_call", "a late decision in the run")
    expect("nobody has answered" in service.result(number)["output"], "decided twice")


def check_cancel(service):
    number, call = ask(service)
    service.send(method="cancel", run=number)
    expect(service.result(number)["status"] == "interrupted", "cancel while it is asked about")
    late = service.request("decide", call=call, decision="allow")
    expect(service.error(late)["code"] == "unknown_call", "a decision after the end")


def check_events(service):
    """A question and the events of its call have the same number; a denied call has no events."""
    number = service.request("run", code=CODE + "\n" + CODE, policy=True,
                             events=["call_started", "call_ended"])
    first = service.of_type("ask")["call"]
    service.send(method="decide", call=first, decision="allow")
    second = service.of_type("ask")["call"]
    service.send(method="decide", call=second, decision="deny")
    service.result(number)
    seen = [(message["event"], message["call"]) for message in service.kept]
    service.kept.clear()
    expect(seen == [("call_started", first), ("call_ended", first)], f"{seen}")
    number = service.request("tool_call", tool="terminal", args={"command": "x"}, policy=True)
    service.send(method="decide", call=service.of_type("ask")["call"], decision="deny")
    result = service.result(number)
    expect(result["status"] == "error" and "denied" in result["error"], f"{result}")


def check_refused_before(service):
    """What would be refused anyway is not asked about."""
    code = "from hermes_tools import terminal\nprint(terminal('x')['error'])"
    number = service.request("run", code=code, policy=True, options={"max_tool_calls": "none"})
    message = service.next()
    expect(message["type"] == "result" and message["id"] == number, f"asked in vain: {message}")


def check(bench):
    service = Service(bench)
    check_decisions(service)
    check_clock(service)
    check_nobody_answers(service)
    check_cancel(service)
    check_events(service)
    check_refused_before(service)
    expect(service.end() == [], "more lines than answers")


main_of_check(check)
