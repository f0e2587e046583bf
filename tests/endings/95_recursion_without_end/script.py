def again(n):
    return again(n + 1)


f = open("deep.txt", "w")
f.write("kept\n")
again(0)
