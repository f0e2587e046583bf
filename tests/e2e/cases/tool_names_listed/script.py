before = set(globals())
from hermes_tools import *

names = sorted(set(globals()) - before - {"before"})
print([name for name in names if name not in {"ToolError", "tools", "search_tools", "describe", "aio"}])
