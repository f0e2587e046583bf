import atexit
import sys


def fails():
    raise ValueError("in atexit")


atexit.register(print, "still called")
atexit.register(fails)
atexit.register(sys.exit, 5)
print("end")
