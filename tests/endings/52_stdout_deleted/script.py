import sys

del sys.stdout
f = open("kept.txt", "w")
f.write("kept\n")
