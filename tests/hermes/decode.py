# SPDX-License-Identifier: MIT
"""Results have one shape, whatever the handler answered; a broken reply hurts one call only."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from support import equal, raises

import hermes_tools
from hermes_tools import ToolError, host, raiser, terminal


def value(result):
    return host("value", value=result)


def raw(text, **more):
    return host("raw", value=text, **more)


equal(value({"a": 1}), {"a": 1})
for plain in ([1], 1, 1.5, True, None, "text", "", "[1]", '{"a":', "{not json}"):
    equal(value(plain), {"result": plain})
# JSON in a string, once.
equal(value('{"a":1}'), {"a": 1})
equal(value('  \n{"a":"x\ty"}'), {"a": "x\ty"})
equal(value('\ufeff{"a":1}'), {"a": 1})
equal(value(json.dumps(json.dumps({"a": 1}))), {"result": json.dumps(json.dumps({"a": 1}))})
equal(value(json.dumps({"a": "x" * 10_000})), {"a": "x" * 10_000})
# Text after the JSON.
equal(value('{"a":1}\n\n[hint: more]'), {"a": 1, "_hint": "[hint: more]"})
equal(value('{"a":1,"_hint":"first"} second'), {"a": 1, "_hint": "first\nsecond"})
equal(raw('{"a":1} trailing', body=True), {"a": 1, "_hint": "trailing"})
equal(raw('[1] trailing', body=True), {"result": [1], "_hint": "trailing"})
equal(raw('  {"a":1}  \n', body=True), {"a": 1})
# Lone surrogates.
equal(raw('{"result":{"a":"x\\ud800y","\\uDFFF":["\\uD800"]}}'),
      {"a": "x\ufffdy", "\ufffd": ["\ufffd"]})
equal(raw('{"a":"\\udc00"}', body=True), {"a": "\ufffd"})
equal(raw('{"result":{"a":"\\ud83d\\ude00"}}'), {"a": "\U0001f600"})
equal(value('{"a":"\\ud800"}'), {"a": "\ufffd"})
equal(value('{"b":"' + "x" * 5000 + '","a":"\\ud800"}')["a"], "\ufffd")
raw('{"result":{"a":"\\ud800"}}')["a"].encode()
for text in ("\U0001f600", "漢字", "שלום", "e\u0301", "a\0b", "\u2028", "\ufeffx", "\\ud800"):
    equal(value({"k": text}), {"k": text})
    equal(value({"k": text * 5000}), {"k": text * 5000})
# Numbers and depth.
equal(raw('{"result":{"n":123456789012345678901234567890,"f":1e400}}'),
      {"n": 123456789012345678901234567890, "f": float("inf")})
deep = '{"result":' + "[" * 60 + "]" * 60 + "}"
equal(len(str(raw(deep)["result"])), 120)

# Sizes. Linear time is for the benchmark; here the right bytes.
for size in (0, 1, 4096, 4097, 65_536, 1 << 20, 8 << 20, (64 << 20) - 1000):
    content = host("big", n=size)["content"]
    assert len(content) == size and content == "x" * size
for count in (10, 100_000):
    equal(host("many", n=count), {"list": list(range(count))})

# Replies that cannot be read: this call fails, the next works.
for text in ("", "{", "nonsense", "[1]", "{}", '{"result":{}} x', "\xff", '{"result":1,"bodies":5}',
             "[" * 60_000):
    with raises((RuntimeError, RecursionError)):
        raw(text)
    equal(terminal("x")["args"], {"command": "x"})
for text in ("", "{", "x"):
    with raises(RuntimeError, "the host sent a reply that cannot be read"):
        raw(text, body=True)
for bodies in ("[[1]]", "[[5,1]]", '[[-1,"result"]]', '[["a","b"]]', "[5]", '[[0,"x","y"]]',
               '[[0,0]]', '[[0,"result",3]]', '[[0,"result",[]]]', '[[true,"result"]]',
               '[[99999999999999999999,"result"]]', '[[0,"result","a","b"]]'):
    with raises(RuntimeError, "the host sent a reply that cannot be read"):
        raw('{"result":{"a":"text"},"bodies":%s}' % bodies)
equal(raw('{"result":{"a":[1,null]},"bodies":[[0,"result","a",1]]}'), {"a": [1, ""]})

# Tools that raise.
equal(raiser({"fine": 1}), {"fine": 1})
equal(raiser({"error": None}), {"error": None})
equal(raiser("text"), {"result": "text"})
for message, text in (("it broke", "it broke"), (["a"], "['a']"), ("", "")):
    try:
        raiser({"error": message, "more": 5})
        raise AssertionError
    except ToolError as error:
        equal(str(error), text)
        equal(error.result, {"error": message, "more": 5})
        equal(error.tool, "raiser")
assert issubclass(ToolError, Exception) and ToolError("x").result is None
equal(ToolError.__module__, "hermes_tools")
# The others return their failure.
equal(value({"error": "x"}), {"error": "x"})
