import time

from forge import CALL, frame, reply, send

print("kept", flush=True)
send(frame(CALL, 5, {"tool": "terminal", "args": {"command": "true"}}))
reply()
send(frame(CALL, 5, {"tool": "terminal", "args": {"command": "true"}}))
time.sleep(20)
print("not reached")
