import sys

print("before")
sys.stdout.close()
sys.stderr.write("after\n")
