import sys

print("to the old one")
sys.stdout = open("stdout.txt", "w")
print("to the file")
