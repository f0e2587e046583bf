import importlib
import sys

for name in ("ptc_host", "tools", "hermes_cli", "agent", "harness", "run_case"):
    try:
        importlib.import_module(name)
        print("importable:", name)
    except ImportError:
        pass
import hermes_tools
import textwrap

print(hasattr(textwrap, "dedent"), hasattr(hermes_tools, "SHADOW"), "" in sys.path)
