import time

from forge import CALL, frame, send

print("kept", flush=True)
send(frame(CALL, 1, {"tool": 5, "args": {}}))
time.sleep(20)
print("not reached")
