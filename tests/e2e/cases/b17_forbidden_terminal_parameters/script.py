from forge import CALL, frame, reply, send
import hermes_tools

for name in ("background", "pty", "notify_on_complete", "watch_patterns"):
    try:
        hermes_tools.terminal("echo no", **{name: True})
    except TypeError as error:
        print(error)
# After this no call of the module's own: the ids are ours.
send(frame(CALL, 1, {"tool": "terminal", "args": {
    "command": "echo forced", "background": True, "pty": True, "notify_on_complete": True,
    "watch_patterns": ["x"]}}))
number, result = reply()
print(number, result["output"].strip(), result["exit_code"], "error" in result and result["error"])
