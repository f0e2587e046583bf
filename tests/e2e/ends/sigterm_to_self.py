import os
import signal

file = open("lost.txt", "w")
file.write("lost")
print("before", flush=True)
os.kill(os.getpid(), signal.SIGTERM)
