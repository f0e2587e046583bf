import time

from hermes_tools import terminal

began = time.monotonic()
r = terminal("echo before; sleep 30", timeout=1)
print(r["exit_code"], "before" in r["output"], time.monotonic() - began < 5)
print(terminal("echo on")["output"].strip())
