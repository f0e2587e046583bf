import time

from forge import CALL, frame, send

print("kept", flush=True)
send(frame(CALL, 1, {"tool": "terminal", "args": ["x"]}))
time.sleep(20)
print("not reached")
