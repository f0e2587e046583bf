# SPDX-License-Identifier: MIT
"""json_parse, shell_quote, retry: usable without an import, the same objects as the module's."""
import inspect
import json
import os
import pathlib
import shlex
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from support import equal, raises

import hermes_tools

assert json_parse is hermes_tools.json_parse
assert shell_quote is hermes_tools.shell_quote and retry is hermes_tools.retry

equal(json_parse('{"a":"x\ty\nz"}'), {"a": "x\ty\nz"})
equal(json_parse('\ufeff{"a":1}'), {"a": 1})
equal(json_parse(b'\xef\xbb\xbf{"a":"x\ty"}'), {"a": "x\ty"})
equal(json_parse('{"a":1}'.encode("utf-16")), {"a": 1})
equal(json_parse(bytearray(b" [1] ")), [1])
equal(json_parse(" 5 "), 5)
equal(json_parse(text="5"), 5)
equal(shell_quote(s="a b"), "'a b'")
equal(hermes_tools.describe(name="terminal"), hermes_tools.describe("terminal"))
assert "terminal" in hermes_tools.search_tools(query="terminal")
equal(str(inspect.signature(retry)), "(fn, max_attempts=3, delay=2)")
equal(str(inspect.signature(json_parse)), "(text)")
for function in (json_parse, shell_quote, hermes_tools.describe, hermes_tools.search_tools):
    for args, kwargs in (((), {}), ((1, 2), {}), (("x",), {"other": 1})):
        with raises(TypeError):
            function(*args, **kwargs)
equal(json_parse('"\\ud83d\\ude00"'), "\U0001f600")
for bad in ("", "{", "nope", '{"a":1} trailing', "\ufeff", b""):
    with raises(json.JSONDecodeError):
        json_parse(bad)
with raises(TypeError, "json_parse() needs str or bytes, not dict", "parsed already"):
    json_parse({"a": 1})
with raises(TypeError, "not NoneType"):
    json_parse(None)
with raises(RecursionError):
    json_parse("[" * 100_000)

for text in ("", "a", "a b", "a'b; rm -rf $HOME", "é", "a/b.c-d_e@f%g+h=i:j,k", "~", "a\nb", "'",
             "''", "\0", "*", "a" * 100_000 + "'"):
    equal(shell_quote(text), shlex.quote(text))
equal(shell_quote(""), "''")
equal(shell_quote(pathlib.Path("a b")), "'a b'")
for bad in (1, None, b"x", ["a"]):
    with raises(TypeError, "shell_quote() needs str or a path, not " + type(bad).__name__):
        shell_quote(bad)

calls = []


def failing():
    calls.append(time.monotonic())
    raise LookupError(f"attempt {len(calls)}")


equal(retry(lambda: 7), 7)
with raises(LookupError, "attempt 3"):
    retry(failing, delay=0.02)
equal(len(calls), 3)
assert calls[1] - calls[0] >= 0.02 and calls[2] - calls[1] >= 0.04, calls
calls.clear()
with raises(LookupError, "attempt 1"):
    retry(failing, max_attempts=1, delay=1000)  # no wait after the last attempt
outcomes = iter([ValueError(), OSError(), "third"])


def third():
    outcome = next(outcomes)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


equal(retry(fn=third, max_attempts=5, delay=0), "third")
for stop in (KeyboardInterrupt, SystemExit, GeneratorExit):
    calls.clear()

    def stopping():
        calls.append(1)
        raise stop

    with raises(stop):
        retry(stopping, 3, 0)
    equal(len(calls), 1)
with raises(TypeError, "retry() needs a function, not dict: write retry(lambda: ...)"):
    retry({})
for bad in (0, -1):
    with raises(ValueError, "max_attempts"):
        retry(failing, bad)
with raises(ValueError, "delay"):
    retry(failing, delay=-1)
with raises(ValueError, "delay"):
    retry(failing, delay=float("nan"))
with raises(TypeError):
    retry()
try:
    retry(failing, 2, 0)
except LookupError as error:
    frames = error.__traceback__.tb_next
    assert frames is not None and frames.tb_frame.f_code.co_name == "failing"
