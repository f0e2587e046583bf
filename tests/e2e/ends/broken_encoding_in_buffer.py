import sys

file = open("ascii.txt", "w", encoding="ascii", errors="replace")
file.write("é plain")
print("é")
sys.stdout.write("no newline at the end")
