import os

from forge import CALL, frame, send

print("kept", flush=True)
send(frame(CALL, 1, {"tool": "terminal", "args": {"command": "true"}})[:30])
os._exit(0)
