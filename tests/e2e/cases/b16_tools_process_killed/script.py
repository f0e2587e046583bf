from hermes_tools import terminal

result = terminal("kill -9 $PPID; sleep 5")
print(type(result).__name__, bool(result.get("error")))
print(terminal("echo on")["output"].strip())
