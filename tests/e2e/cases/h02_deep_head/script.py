import time

from forge import CALL, frame, send

print("kept", flush=True)
send(frame(CALL, 1, b'{"tool":"terminal","args":{"command":' + b"[" * 5000 + b"]" * 5000 + b"}}"))
time.sleep(20)
print("not reached")
