import time

from forge import CALL, frame, send

print("kept", flush=True)
send(frame(CALL, 1, [1, 2, 3]))
time.sleep(20)
print("not reached")
