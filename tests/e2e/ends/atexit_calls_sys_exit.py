import atexit
import sys

atexit.register(sys.exit, 9)
print("end")
