import sys

for _ in range(1024):
    sys.stdout.write("o" * 1024)
    sys.stdout.flush()
    sys.stderr.write("e" * 1024)
    sys.stderr.flush()
