import sys
print("out")
print("warned", file=sys.stderr)
raise KeyError("k")
