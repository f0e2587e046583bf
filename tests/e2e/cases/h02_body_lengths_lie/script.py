import time

from forge import CALL, frame, send

print("kept", flush=True)
send(frame(CALL, 1, {"tool": "terminal", "args": {"command": None}, "bodies": [[900, "args", "command"]]}, b"x" * 10))
time.sleep(20)
print("not reached")
