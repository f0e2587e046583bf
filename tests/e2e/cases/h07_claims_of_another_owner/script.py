from forge import CALL, frame, reply, send

send(frame(CALL, 1, {"tool": "terminal", "args": {"command": "echo mine"}, "run": 99, "owner": "somebody else", "session": "other"}))
number, result = reply()
print(number, result.get("output", result.get("error")).strip())
