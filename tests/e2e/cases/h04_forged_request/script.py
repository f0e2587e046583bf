from forge import CALL, frame, reply, send

send(frame(CALL, 1, {"tool": "terminal", "args": {"command": "echo forged"}}))
number, result = reply()
print(number, result["output"].strip())
send(frame(CALL, 2, {"tool": "terminal", "args": {"command": "echo over the limit"}}))
number, result = reply()
print(number, sorted(result))
