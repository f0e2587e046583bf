import sys

print("before")
sys.stdout.close()
file = open("after.txt", "w")
file.write("after")
