# SPDX-License-Identifier: MIT
"""ptc-host rpc: every kind of bad line has its error and touches nothing. Holds A05: code of a wrong
type is answered with the type."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402
from rpc_service import Service  # noqa: E402

LINE_MAX = (64 << 20) + (64 << 10)
RUN = '{"id": 1, "method": "run", '

# line, id of the answer, code, what the message says
BAD = [
    (b"nonsense", None, "bad_json", "column"),
    (b'{"id": 1', None, "bad_json", "column"),
    (b'{"id": 1, "id": 2, "method": "ping"}', None, "bad_json", "duplicate"),
    (b'{"id": 1, "method": "ping"} {}', None, "bad_json", "end of file"),
    (b'{"id": 1, "method": "\xff"}', None, "bad_json", "0xff"),
    (b'{"id": 1, "method": "\\ud800"}', None, "bad_json", "invalid Unicode"),
    (b"\xef\xbb\xbf{}", None, "bad_json", ""),
    (b"\0", None, "bad_json", ""),
    (b"[" * 100000, None, "bad_json", ""),
    (b"[" + b"0," * (1 << 20) + b"0]", None, "bad_json", "values"),
    (b"[]", None, "bad_request", "an array"),
    (b"null", None, "bad_request", "null"),
    (b"1e400", None, "bad_json", "overflow"),
    (b"{}", None, "bad_request", "method is missing"),
    (b'{"id": 9}', 9, "bad_request", "method is missing"),
    (b'{"id": 9, "method": 3}', 9, "bad_request", "an integer"),
    (b'{"id": [], "method": "ping"}', None, "bad_request", "an array"),
    (b'{"id": "z", "method": "runn"}', "z", "unknown_method", "did you mean 'run'?"),
    (b'{"id": "z", "method": "qqqqqqqqqqq"}', "z", "unknown_method", "qqq"),
    (b'{"method": "ping", "id": 9, "x": 1}', 9, "bad_request", "no field 'x'"),
    (b'{"method": "run", "code": "1"}', None, "bad_request", "id is missing"),
    # A05
    (RUN + '"code": 123}', 1, "bad_request", "code takes a string, not an integer"),
    (RUN + '"code": ["print(1)"]}', 1, "bad_request", "code takes a string, not an array"),
    (RUN + '"code": null}', 1, "bad_request", "code takes a string, not null"),
    (RUN + '"code": {"a": 1}}', 1, "bad_request", "code takes a string, not an object"),
    (RUN + '"code": 1.5}', 1, "bad_request", "not a number with a fraction"),
    (RUN + '"code": true}', 1, "bad_request", "code takes a string, not a boolean"),
    (RUN + '"path": "a\\u0000b"}', 1, "bad_request", "a NUL in it"),
    (RUN + '"path": "/nowhere/x.py"}', 1, "not_found", "/nowhere/x.py"),
    (RUN + '"code": "1", "path": "x"}', 1, "bad_request", "exactly one"),
    (RUN + '"args": []}', 1, "bad_request", "exactly one"),
    (RUN + '"code": "1", "args": "a"}', 1, "bad_request", "an array of strings, not a string"),
    (RUN + '"code": "1", "args": ["a", 1]}', 1, "bad_request", "an integer in the array"),
    (RUN + '"code": "1", "events": 1}', 1, "bad_request", "true, false or an array"),
    (RUN + '"code": "1", "events": ["ouput"]}', 1, "bad_request", "did you mean 'output'?"),
    (RUN + '"code": "1", "policy": "ask"}', 1, "bad_request", "true or false, not a string"),
    (RUN + '"code": "1", "options": []}', 1, "bad_request", "an object"),
    (RUN + '"code": "1", "options": {"timeout": "soon"}}', 1, "invalid", "timeout"),
    (RUN + '"code": "1", "options": {"tool": "x"}}', 1, "invalid", "did you mean 'tools'?"),
    (RUN + '"code": "1", "optoins": {}}', 1, "bad_request", "did you mean 'options'?"),
    (b'{"id": 1, "method": "tool_call"}', 1, "bad_request", "tool is missing"),
    (b'{"id": 1, "method": "tool_call", "tool": "nope"}', 1, "invalid", "read_file"),
    (b'{"id": 1, "method": "tool_call", "tool": "terminal", "args": []}', 1, "bad_request",
     "an object"),
    (b'{"id": 1, "method": "cancel", "run": 77}', 1, "unknown_run", "77"),
    (b'{"id": 1, "method": "cancel", "run": 1.5}', 1, "bad_request", "a string or an integer"),
    (b'{"method": "cancel", "run": "x"}', None, "unknown_run", '"x"'),
    (b'{"id": 1, "method": "reply", "call": 1, "result": 1}', 1, "unknown_call", "no call 1"),
    (b'{"id": 1, "method": "reply", "call": -1, "result": 1}', 1, "unknown_call", "-1"),
    (b'{"id": 1, "method": "reply", "call": 1}', 1, "bad_request", "exactly one"),
    (b'{"id": 1, "method": "reply", "call": 1, "result": 1, "error": "x"}', 1, "bad_request",
     "exactly one"),
    (b'{"id": 1, "method": "reply", "call": "1", "result": 1}', 1, "bad_request", "an integer"),
    (b'{"id": 1, "method": "decide", "call": 1, "decision": "alow"}', 1, "bad_request",
     "did you mean 'allow'?"),
    (b'{"id": 1, "method": "decide", "call": 1, "decision": "deny"}', 1, "unknown_call", "no call"),
    (b'{"id": 1, "method": "register_tool"}', 1, "bad_request", "name is missing"),
    (b'{"id": 1, "method": "register_tool", "name": "twice"}', 1, "invalid", "twice"),
    (b'{"id": 1, "method": "register_tool", "name": "t", "flags": ["fast"]}', 1, "invalid",
     "fast"),
    (b'{"id": 1, "method": "register_tool", "name": ""}', 1, "invalid", "name"),
    (b'{"id": 1, "method": "schema", "format": "xml"}', 1, "invalid", "xml"),
    (b'{"id": 1, "method": "shutdown", "finish": 1}', 1, "bad_request", "true or false"),
]


def check_bad(service):
    for line, number, code, text in BAD:
        line = line.encode() if isinstance(line, str) else line
        service.write(line + b"\n")
        got = service.next()
        about = f"{line[:100]!r}: {str(got)[:500]}"
        expect(got["type"] == "error" and got["id"] == number, about)
        expect(got["code"] == code and text in got["message"], f"{about}; expected {code} {text}")
        expect(set(got) == {"type", "id", "code", "message"}, about)


def check_long(service):
    service.write(b'{"id": 1, "method": "ping", "x": "' + b"y" * LINE_MAX + b'"}\n')
    got = service.next()
    expect(got["code"] == "line_too_long" and got["id"] is None, f"a long line: {got}")
    pad = LINE_MAX - len(b'{"id": 1, "method": "ping"}')
    service.write(b'{"id": 1, "method": "ping"' + b" " * pad + b"}\n")
    expect(service.result(1) == "pong", "a line of exactly the limit")


def check_duplicate(service):
    first = service.request("run", code="import time; time.sleep(30)")
    service.send(id=first, method="run", code="print(2)")
    got = service.next()
    expect(got["code"] == "duplicate_id" and got["id"] is None, f"duplicate id: {got}")
    other = str(first)
    service.send(id=other, method="run", code="print(3)")
    expect(service.result(other)["output"] == "3\n", "an id as a string is another one")
    service.send(method="cancel", run=first)
    expect(service.result(first)["status"] == "interrupted", "the first run was not cancelled")
    service.send(id=first, method="run", code="print(4)")
    expect(service.result(first)["output"] == "4\n", "an id cannot be used again")


def check_harmless(service):
    service.write(b'\n  \r\n{"id": 5, "method": "ping"}\r\n')
    expect(service.result(5) == "pong", "blank lines and \\r\\n")
    service.send(id=None, method="ping")
    service.send(id="ü\U0001f600\n", method="ping")
    expect(service.result("ü\U0001f600\n") == "pong", "an id of any characters")
    expect(service.run("print('fine')")["output"] == "fine\n", "a run after all that")


def check(bench):
    service = Service(bench)
    service.last_id = 1000
    running = service.request("run", code="import time; time.sleep(3); print('untouched')")
    expect(service.result(service.request("register_tool", name="twice")), "register_tool")
    check_bad(service)
    check_long(service)
    expect(service.result(running)["output"] == "untouched\n", "a bad line has touched a run")
    check_duplicate(service)
    check_harmless(service)
    service.write(json.dumps({"id": 6, "method": "ping"}).encode())  # a last line without its end
    rest = service.end()
    expect(rest == [{"type": "result", "id": 6, "result": "pong"}], f"at the end: {rest}")


main_of_check(check)
