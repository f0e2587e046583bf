import sys
sys.stdout.write("h" * 40 + "x" * 1000 + "t" * 60)
