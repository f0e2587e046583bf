import os

from forge import CALL, DONE, frame

os.write(1, frame(DONE, 0, {"exit_code": 0}) + frame(CALL, 1, {"tool": "terminal", "args": {"command": "touch made"}}))
print("still here")
