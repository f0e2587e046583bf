import os
import subprocess
import sys

print("1 print", flush=True)
os.write(1, b"2 os.write\n")
print("3 print", flush=True)
subprocess.run(["echo", "4 subprocess"])
sys.stdout.buffer.write(b"5 buffer\n")
sys.stdout.flush()
print("6 not flushed, but the run flushes at its end")
