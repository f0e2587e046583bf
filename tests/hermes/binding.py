# SPDX-License-Identifier: MIT
"""Arguments are bound, and refused, as CPython does for a def line with the same signature."""
import inspect
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from support import equal, raises

import hermes_tools
from hermes_tools import create_issue, host, patch, read_file, terminal, web_search, write_file


def twin(function):
    """A Python function with the same signature: the reference for the wording."""
    text = f"def {function.__name__}{inspect.signature(function)}: return locals()"
    space = {"Optional": __import__("typing").Optional, "Any": __import__("typing").Any}
    exec(text, space)
    return space[function.__name__]


def error_of(function, args, kwargs):
    try:
        function(*args, **kwargs)
    except TypeError as error:
        return str(error)


# The same TypeError, word for word.
for function, args, kwargs in [
    (terminal, (), {}),
    (write_file, (), {}),
    (write_file, ("a",), {}),
    (write_file, (), {"content": "x"}),
    (terminal, (1,) * 9, {}),
    (terminal, (1, 2, 3, 4, 5, 6), {}),
    (terminal, ("a",), {"command": "b"}),
    (terminal, (1,) * 9, {"command": 1}),
    (patch, (1,) * 20, {}),
    (web_search, (), {}),
    (host, (), {}),
    (create_issue, (), {}),
]:
    wanted = error_of(twin(function), args, kwargs)
    assert wanted, (function, args, kwargs)
    equal(error_of(function, args, kwargs), wanted)

# The same, and after it what exists.
for function, args, takes in [
    (terminal, ("a",), " It takes command, timeout, workdir, merge_stderr."),
    (terminal, (), " It takes command, timeout, workdir, merge_stderr."),
    (terminal, (1,) * 9, " It takes command, timeout, workdir, merge_stderr."),
    (write_file, ("a", "b"), " It takes path, content."),
]:
    kwargs = {"zzzzzz": 1}
    equal(error_of(function, args, kwargs), error_of(twin(function), args, kwargs) + "." + takes)

with raises(TypeError, "unexpected keyword argument 'comand'. Did you mean 'command'?"):
    terminal(comand="x")
with raises(TypeError, "unexpected keyword argument 'Path'. Did you mean 'path'?"):
    read_file(Path="x")
for forbidden in ("background", "pty", "notify_on_complete", "watch_patterns"):
    with raises(TypeError, f"unexpected keyword argument '{forbidden}'"):
        terminal("x", **{forbidden: True})
with raises(TypeError):
    terminal("x", **{"\ud800": 1})
with raises(TypeError):
    terminal("x", **{1: 2})

# Only what was given is sent: defaults live in the host.
equal(terminal("ls")["args"], {"command": "ls"})
equal(terminal("ls", 5)["args"], {"command": "ls", "timeout": 5})
equal(terminal("ls", workdir="w")["args"], {"command": "ls", "workdir": "w"})
equal(terminal(timeout=None, command="ls")["args"], {"command": "ls", "timeout": None})
equal(read_file("a", 1, 2, raw=True)["args"], {"path": "a", "offset": 1, "limit": 2, "raw": True})
# B05: every parameter is accepted by name and arrives under its exact name.
for name in hermes_tools.tools():
    function = getattr(hermes_tools, name)
    named = [p.name for p in inspect.signature(function).parameters.values()
             if p.kind is p.POSITIONAL_OR_KEYWORD]
    if name == "host":
        named, kwargs = ["mode"], {"mode": "echo", "n": 1, "value": 1}
    elif name == "raiser":
        continue
    else:
        kwargs = {parameter: f"v{i}" for i, parameter in enumerate(named)}
    result = function(**kwargs)
    equal(list(result["args"].values()), list(kwargs.values()))

# Names that are no identifiers have a Python spelling; the exact one is taken as well.
equal(create_issue("a", 1)["args"], {"from": "a", "a-b": 1})
equal(create_issue(from_="a", a_b=1)["args"], {"from": "a", "a-b": 1})
equal(create_issue(**{"from": "a", "a-b": 1})["args"], {"from": "a", "a-b": 1})
with raises(TypeError, "multiple values"):
    create_issue(**{"from": "a", "from_": 1})
equal(create_issue("x")["tool"], "create-issue")
# An open tool takes more.
equal(host("echo", other=[1], n=2)["args"], {"mode": "echo", "n": 2, "other": [1]})


# A str subclass as a keyword cannot interfere.
class Evil(str):
    def __eq__(self, other):
        raise AssertionError("called")

    __hash__ = str.__hash__


equal(terminal(**{Evil("command"): "x"})["args"], {"command": "x"})
