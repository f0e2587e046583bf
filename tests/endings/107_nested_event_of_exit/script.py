import sys

try:
    sys.exit(3)
except SystemExit as error:
    print("caught", error.code)
try:
    1 / 0
finally:
    sys.exit(4)
