import sys
sys.stdout.write("a" * 50000)
