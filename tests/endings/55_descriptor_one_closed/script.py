import os

os.close(1)
f = open("one.txt", "w")
f.write("kept\n")
