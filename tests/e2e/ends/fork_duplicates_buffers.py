import os
import sys

file = open("twice.txt", "w")
file.write("buffered in both ")
print("printed in both")
if os.fork() == 0:
    sys.exit(0)
os.wait()
