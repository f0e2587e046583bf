import time

from hermes_tools import terminal

end = time.monotonic() + 6
while time.monotonic() < end:
    time.sleep(0.05)
print(terminal("echo late")["output"].strip())
