import sys
sys.stdout.write("a" * 49999)
