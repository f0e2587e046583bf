import sys

f = open("cleared.txt", "w")
f.write("kept\n")
sys.modules.clear()
