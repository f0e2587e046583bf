import sys
sys.exit("bad things")
