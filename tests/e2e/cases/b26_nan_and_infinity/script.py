from hermes_tools import terminal

for value in (float("nan"), float("inf"), float("-inf")):
    try:
        print("accepted", terminal("true", timeout=value))
    except (TypeError, ValueError) as error:
        print(type(error).__name__, "timeout" in str(error))
print(terminal("echo alive")["output"].strip())
