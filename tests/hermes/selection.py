# SPDX-License-Identifier: MIT
"""Only the tools of the run exist (harness --tools)."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from support import equal, raises

import hermes_tools

none = hermes_tools.tools() == []
if not none:
    equal(hermes_tools.tools(), ["read_file", "terminal"])
    from hermes_tools import read_file, terminal
with raises(ImportError, "write_file", "not enabled in this run", "Importable names: "):
    from hermes_tools import write_file
with raises(AttributeError, "not enabled in this run"):
    hermes_tools.write_file
with raises(ValueError, "not enabled in this run"):
    hermes_tools.describe("write_file")
equal(hermes_tools.aio.__all__, hermes_tools.tools())
with raises(ImportError):
    from hermes_tools.aio import write_file
from hermes_tools import ToolError, json_parse, retry, shell_quote
