import time

from forge import CALL, frame, send

print("kept", flush=True)
send(frame(CALL, 1, b'{"tool":"terminal","tool":"patch","args":{}}'))
time.sleep(20)
print("not reached")
