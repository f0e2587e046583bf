import sys
print("from stdin", repr(sys.stdin.read()))
