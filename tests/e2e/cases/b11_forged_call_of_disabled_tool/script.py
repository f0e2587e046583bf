from forge import CALL, frame, reply, send

send(frame(CALL, 1, {"tool": "terminal", "args": {"command": "touch made"}}))
number, result = reply()
print(number, sorted(result), result["error"])
