import sys
sys.stdout.write("h" * 20000 + "x" + "t" * 30000)
