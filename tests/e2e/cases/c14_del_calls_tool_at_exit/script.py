import atexit

from hermes_tools import terminal


class Late:
    def __del__(self):
        try:
            terminal("echo late")
        except Exception:
            pass


keep = Late()
atexit.register(lambda: print(terminal("echo atexit")["output"].strip()))
print("end")
