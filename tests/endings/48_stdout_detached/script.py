import sys

raw = sys.stdout.detach()
raw.write(b"raw bytes\n")
