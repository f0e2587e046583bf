import os
import sys

with open("broken_module.py", "w") as f:
    f.write("def fails():\n    raise KeyError('in the module')\n")
sys.path.append(os.getcwd())
import broken_module

broken_module.fails()
