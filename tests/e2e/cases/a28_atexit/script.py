import atexit

atexit.register(print, "bye")
print("hi")
