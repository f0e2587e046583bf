import os
import sys

f = open("both.txt", "a")
f.write("twice\n")
pid = os.fork()
if pid:
    os.waitpid(pid, 0)
    print("parent")
else:
    print("child")
sys.stdout.flush()
