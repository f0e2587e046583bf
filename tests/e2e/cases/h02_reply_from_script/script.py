import time

from forge import REPLY, frame, send

print("kept", flush=True)
send(frame(REPLY, 1, {"result": {}}))
time.sleep(20)
print("not reached")
