# SPDX-License-Identifier: MIT
"""What the module looks like to import, inspect, help, copy, pickle and a script that abuses it."""
import copy
import functools
import gc
import importlib
import inspect
import io
import os
import pickle
import pydoc
import sys
import types
import typing
import weakref

sys.path.insert(0, os.path.dirname(__file__))
from support import equal, raises

import hermes_tools
from hermes_tools import read_file, terminal

# Names.
helpers = ["ToolError", "json_parse", "shell_quote", "retry", "tools", "search_tools", "describe"]
equal(hermes_tools.__all__, hermes_tools.tools() + helpers)
assert "terminal" in hermes_tools.tools()
with raises(ImportError, "cannot import name 'nope' from 'hermes_tools'", "terminal", "retry"):
    from hermes_tools import nope
with raises(ImportError, "did you mean 'terminal'?", "Importable names: "):
    from hermes_tools import terminl
with raises(ImportError, "Importable names: "):
    import hermes_tools.nothing
with raises(AttributeError, "'nope'", "Importable names: ", "read_file"):
    hermes_tools.nope
with raises(AttributeError, "did you mean 'read_file'?"):
    hermes_tools.readfile
assert not hasattr(hermes_tools, "nope") and not hasattr(hermes_tools, "__nope__")
space = {}
exec("from hermes_tools import *", space)
equal(sorted(set(space) - {"__builtins__"}), sorted(hermes_tools.__all__))
with raises(ModuleNotFoundError, "No module named 'no_such_module'"):
    import no_such_module

# The functions.
assert str(inspect.signature(terminal)).startswith(
    "(command: str, timeout: Optional[int] = None, workdir: Optional[str] = None")
assert str(inspect.signature(terminal)).endswith(") -> dict")
equal(inspect.signature(terminal).parameters["timeout"].annotation, typing.Optional[int])
equal(terminal.__annotations__["timeout"], typing.Optional[int])
equal(typing.get_type_hints(terminal)["return"], dict)
equal(terminal.__name__, "terminal")
equal(terminal.__qualname__, "terminal")
equal(terminal.__module__, "hermes_tools")
assert "command" in terminal.__doc__ and "Returns:" in terminal.__doc__
assert inspect.isroutine(terminal) and callable(terminal)
assert inspect.getdoc(terminal).startswith(terminal.__doc__.splitlines()[0])
assert "terminal" in repr(terminal)
for name in hermes_tools.tools():
    function = getattr(hermes_tools, name)
    # No drift from the stub file: both come from the specs.
    equal(hermes_tools.describe(name).splitlines()[0],
          f"{function.__name__}{inspect.signature(function)}")
page = pydoc.plain(pydoc.render_doc(terminal))
assert "terminal(command: str" in page and "Returns:" in page, page
assert "terminal(command: str" in pydoc.plain(pydoc.render_doc(hermes_tools))


@functools.wraps(terminal)
def wrapper(*args):
    return terminal(*args)


equal(wrapper.__name__, "terminal")
equal(inspect.signature(wrapper), inspect.signature(terminal))
equal(functools.partial(terminal, "x")()["args"], {"command": "x"})


class Holder:
    tool = terminal


equal(Holder().tool("x")["args"], {"command": "x"})
reference = weakref.ref(terminal)
assert reference() is terminal
assert copy.copy(terminal) is terminal and copy.deepcopy([terminal])[0] is terminal
with raises(TypeError, "cannot pickle the tool function terminal"):
    pickle.dumps(terminal)
with raises(TypeError):
    type(terminal)()
with raises(AttributeError):
    terminal.attribute = 1
with raises(AttributeError):
    terminal.__name__ = "x"

# tools(), search_tools(), describe().
assert "read_file" in hermes_tools.search_tools("read file")
assert hermes_tools.search_tools("terminal")[0] == "terminal"
equal(hermes_tools.search_tools("no such thing at all"), [])
assert hermes_tools.describe("terminal").startswith("terminal(command: str")
assert hermes_tools.describe("create-issue").startswith("create_issue(from_: str")
equal(hermes_tools.describe(terminal), hermes_tools.describe("terminal"))
with raises(ValueError, "did you mean 'terminal'?"):
    hermes_tools.describe("terminl")
for bad in (1, None, ["x"]):
    with raises(TypeError):
        hermes_tools.describe(bad)
    with raises(TypeError):
        hermes_tools.search_tools(bad)

# Abuse: overwritten, deleted, imported again, reloaded.
hermes_tools.terminal = "overwritten"
equal(terminal("x")["args"], {"command": "x"})
importlib.reload(hermes_tools)
old_finders = len(sys.meta_path)
del sys.modules["hermes_tools"]
again = importlib.import_module("hermes_tools")
assert again is not hermes_tools and len(sys.meta_path) == old_finders
equal(again.terminal("y")["args"], {"command": "y"})
equal(terminal("z")["args"], {"command": "z"})
with raises(ImportError, "Importable names"):
    from hermes_tools import nope
del hermes_tools, again
gc.collect()
equal(terminal("z")["args"], {"command": "z"})
equal(read_file("z")["args"], {"path": "z"})
sys.meta_path.clear()
with raises(ImportError):
    from hermes_tools import nope


# A user's own names do not matter to the module.
def retry(*_):
    raise AssertionError


json = types.SimpleNamespace(loads=None, JSONDecoder=None)
sys.modules["json"] = json
import builtins

builtins.json_parse = builtins.retry = None
equal(terminal("z")["args"], {"command": "z"})
