# SPDX-License-Identifier: MIT
"""What may be sent and how it looks on the wire; what may not, by name and before a byte leaves."""
import collections
import enum
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(__file__))
from support import equal, raises

from hermes_tools import host, terminal, web_extract, write_file


def back(value):
    return host("echo", value=value)["args"]["value"]


calls_before = host("log")["calls"]
for value in (None, True, False, 0, -1, 2**63 - 1, -2**63, 1.5, 1e300, -0.0, 1e16, 5e-324, "", "x",
              [], {}, [[]], [1, [2, {"a": [None]}]], {"": 0, "a b": {"c": []}}, "\0", "a\0b",
              "é", "\u2028\u2029", "\U0001f600", "\ufeff", "ש", "e\u0301", "\x7f", '"\\/\b\f\n\r\t',
              "".join(map(chr, range(0x20))), "\uffff", "\U0010ffff"):
    equal(back(value), value)
    equal(type(back(value)), type(value))
equal(back((1, (2,))), [1, [2]])
equal(back(pathlib.Path("/a/b")), "/a/b")
equal(terminal(pathlib.PurePosixPath("x"))["args"], {"command": "x"})

# Around the border between inline text and bodies, ASCII and not, in places of every kind.
for size in (4095, 4096, 4097, 10_000, 70_000):
    for character in ("a", "é", "\U0001f600", "\n", "\x01"):
        text = character * size
        equal(back(text), text)
        equal(back([text, {"k": [1, text]}, "short"]), [text, {"k": [1, text]}, "short"])
equal(back({"a" * 5000: "b" * 5000}), {"a" * 5000: "b" * 5000})
equal(back({'k"\\\n': "b" * 5000, "é": ["c" * 5000] * 50}),
      {'k"\\\n': "b" * 5000, "é": ["c" * 5000] * 50})
equal(write_file("p", "x" * 5000)["args"], {"path": "p", "content": "x" * 5000})
seen = host("bytes", value=["x" * 5000, "short"])
equal(seen["body_bytes"], 5000)
equal(json.loads(seen["head"]),
      {"tool": "host", "args": {"mode": "bytes", "value": [None, "short"]},
       "bodies": [[5000, "args", "value", 0]]})
equal(host("bytes", value="é")["head"],
      '{"tool":"host","args":{"mode":"bytes","value":"é"}}')

# Large heads leave as one JSON body, whatever made them large.
for value in (list(range(30_000)), {f"k{i}": "v" * 20 for i in range(5000)}, ["é" * 4000] * 30,
              ["x" * 5000] * 3000, {"k" * 70_000: 1}, {"k" * 70_000: "\x01" * 1_000_000}):
    equal(back(value), value)
seen = host("bytes", value=list(range(30_000)))
equal((seen["head"], seen["flags"]), ('{"tool":"host"}', 2))


# Subclasses are what they hold; their methods are not called.
class Text(str):
    def __str__(self):
        raise AssertionError

    __repr__ = __eq__ = __len__ = __iter__ = __getitem__ = encode = __str__
    __hash__ = str.__hash__


class Number(int):
    def __int__(self):
        raise AssertionError

    __index__ = __str__ = __repr__ = __int__


class Real(float):
    def __float__(self):
        raise AssertionError

    __repr__ = __str__ = __float__


class Pairs(dict):
    def __iter__(self):
        raise AssertionError

    items = keys = __len__ = __getitem__ = __iter__


class Items(list):
    def __iter__(self):
        raise AssertionError

    __len__ = __getitem__ = __iter__


class Colour(enum.IntEnum):
    RED = 3


class Name(str, enum.Enum):
    A = "a"


equal(back([Text("t"), Number(5), Real(1.5), Pairs(a=1), Items([1]), Colour.RED, Name.A]),
      ["t", 5, 1.5, {"a": 1}, [1], 3, "a"])
equal(back(Text("t" * 5000)), "t" * 5000)
equal(back({Text("k"): 1}), {"k": 1})
equal(back(collections.OrderedDict(a=1)), {"a": 1})
equal(back(collections.namedtuple("P", "x y")(1, 2)), [1, 2])
equal(back({Text("k"): {"a": ["z" * 5000]}}), {"k": {"a": ["z" * 5000]}})


# One text twice, by keys that claim to differ: the host would refuse the document.
class Twice(str):
    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)


equal(back({"k": 1, Twice("k"): 2, Twice("k"): 3}), {"k": 3})

# Refused, with the argument's name and place.
for value, kind, texts in [
    (b"x", TypeError, ("argument 'value'", "not bytes", "decode it")),
    (bytearray(b"x"), TypeError, ("argument 'value'", "not bytearray")),
    ({1}, TypeError, ("argument 'value'", "not set", "use a list")),
    (frozenset(), TypeError, ("argument 'value'", "not frozenset")),
    (object(), TypeError, ("argument 'value'", "not object")),
    (1j, TypeError, ("argument 'value'", "not complex")),
    (print, TypeError, ("argument 'value'", "not builtin_function_or_method")),
    (float("nan"), ValueError, ("argument 'value'", "nan")),
    (float("inf"), ValueError, ("argument 'value'", "infinite")),
    (-float("inf"), ValueError, ("argument 'value'", "infinite")),
    (2**63, OverflowError, ("argument 'value'", "64 bits")),
    (-2**63 - 1, OverflowError, ("argument 'value'", "64 bits")),
    (Number(2**64), OverflowError, ("argument 'value'", "64 bits")),
    ("ab\ud800", ValueError, ("argument 'value'", "lone surrogate at index 2")),
    ("\udfff" * 5000, ValueError, ("argument 'value'", "lone surrogate at index 0")),
    ("é" * 5000 + "\udfff", ValueError, ("argument 'value'", "lone surrogate at index 5000")),
    ({"\ud800": 1}, ValueError, ("argument 'value'", "key", "surrogate")),
    ({1: 2}, TypeError, ("argument 'value'", "key of type int")),
    ({None: 2}, TypeError, ("argument 'value'", "key of type NoneType")),
    ([1, {"a": [b"x"]}], TypeError, ("argument 'value'[1]['a'][0]", "not bytes")),
    ({"k": float("nan")}, ValueError, ("argument 'value'['k']", "nan")),
    ({"k": ("x" * 70_000, {1})}, TypeError, ("argument 'value'['k'][1]", "not set")),
]:
    with raises(kind, "host() ", *texts):
        back(value)
with raises(TypeError, "terminal() argument 'command'", "not bytes"):
    terminal(b"x")
with raises(TypeError, "web_extract() argument 'urls'[1]", "not bytes"):
    web_extract(["a", b"b"])
with raises(TypeError, "argument 'other'", "not set"):
    host("echo", other={1})


async def coroutine():
    pass


pending = coroutine()
with raises(TypeError, "not coroutine", "await it"):
    back(pending)
pending.close()


# Depth, cycles.
def nested(levels):
    value = []
    for _ in range(levels - 1):
        value = [value]
    return value


equal(back(nested(60)), nested(60))
host("bytes", value=nested(62))  # with the head and args around it: what the host takes
for levels in (63, 64, 100_000):
    with raises(ValueError, "argument 'value'", "nested deeper than 64 levels"):
        back(nested(levels))
loop = [1]
loop.append(loop)
with raises(ValueError, "nested deeper"):
    back(loop)
loop = {"a": {}}
loop["a"]["b"] = loop
with raises(ValueError, "contains itself"):
    back(loop)


# Paths run code: what it does to the data must not hurt.
class Path:
    def __init__(self, action, value="p"):
        self.action, self.value = action, value

    def __fspath__(self):
        self.action()
        return self.value


items = [Path(lambda: items.clear())] + list(range(100))
equal(back(items), ["p"])
items = [Path(lambda: items.append("new"))]
equal(back(items), ["p", "new"])
pairs = {"a": Path(lambda: pairs.clear()), "b": 1}
with raises(RuntimeError, "argument 'value'", "changed size"):
    back(pairs)
pairs = {"a": Path(lambda: pairs.update({str(i): i for i in range(1000)})), "b": 1}
with raises(RuntimeError, "changed size"):
    back(pairs)
with raises(TypeError, "path of bytes"):
    back(Path(lambda: None, b"x"))
with raises(ZeroDivisionError):
    back(Path(lambda: 1 / 0))
with raises(TypeError):
    back(Path(lambda: None, 5))
equal(back(Path(lambda: terminal("nested call"))), "p")
growing = []
growing.append(Path(lambda: growing.append(growing[0]), "x" * 1_000_000))
with raises(ValueError, "too large"):
    back(growing)

# Size: refused here, since the frame would be refused there.
with raises(ValueError, "host() arguments are too large", "64 MiB"):
    back("x" * (100 * 1024 * 1024))
with raises(ValueError, "too large"):
    back(["x" * (8 * 1024 * 1024)] * 9)
for value in ([1.5] * (5 * 1024 * 1024), ["x" * 5000] * 4000,
              {"k" * 70_000: "\x01" * (3 * 1024 * 1024)}):
    with raises(ValueError, "too large", "16 MiB of JSON"):
        back(value)
text = "é" * (30 * 1024 * 1024)
assert back(text) == text
equal(terminal("still there")["args"], {"command": "still there"})
assert calls_before < host("log")["calls"] < 500
