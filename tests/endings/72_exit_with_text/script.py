import sys

sys.exit("a reason, with é")
