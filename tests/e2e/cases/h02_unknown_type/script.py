import time

from forge import frame, send

print("kept", flush=True)
send(frame(77, 1, {}))
time.sleep(20)
print("not reached")
