import sys

files = [open(f"{i}.txt", "w") for i in range(5)]
for file in files:
    file.write("x" * 100)
sys.exit(3)
