# SPDX-License-Identifier: MIT
"""Without a channel the module can be looked at, and every call says so."""
import asyncio
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from support import raises

import hermes_tools

with raises(RuntimeError, "no host"):
    hermes_tools.terminal("x")
with raises(TypeError, "missing 1 required"):
    hermes_tools.terminal()
with raises(RuntimeError, "no host"):
    asyncio.run(hermes_tools.aio.terminal("x"))
assert json_parse("[1]") == [1]
