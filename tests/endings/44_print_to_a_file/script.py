out = open("printed.txt", "w")
for i in range(10):
    print("line", i, file=out)
print("no newline at the end", end="")
